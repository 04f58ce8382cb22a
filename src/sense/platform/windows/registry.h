#pragma once

#include <string>

#include "base/result.h"
#include "sense/host/host.h"

namespace gpuway {

/// Reads one key of this machine's registry (see Host::read_registry). Values of more than a MiB are left out.
Result<RegistryKey> read_live_registry(const std::string& key, RegistryView view);

}  // namespace gpuway
