#pragma once

#include <memory>
#include <string>

#include "sense/host/host.h"

namespace gpuway {

/// The files below `root` taken as a machine: an unpacked image, a mounted disk. Links are resolved inside the root:
/// absolute ones start at it and ".." cannot leave it. There are no variables, no processes and no driver to ask.
/// Fails when `root` is no folder. `below` must outlive the result.
Result<std::unique_ptr<Host>> make_root_host(const Host& below, const std::string& root);

}  // namespace gpuway
