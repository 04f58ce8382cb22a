#pragma once

#include <span>

#include "think/model/wsl.h"

namespace gpuway {

/// Every setting that WSL knows, of both its files (data/tables/wsl_keys.toml).
std::span<const WslKey> wsl_keys();

}  // namespace gpuway
