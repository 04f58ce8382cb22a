#pragma once

#include <memory>
#include <string>

#include "sense/host/host.h"

namespace gpuway {

/// The files that a program under Wine sees: C: is the prefix's, Z: the whole machine; names in any case.
std::unique_ptr<Host> make_wine_host(const std::string& prefix);

}  // namespace gpuway
