#pragma once

#include "think/rules/chain_builder.h"

namespace gpuway {

/// Why a WSL 2 distribution has no libcuda: a setting of WSL that keeps the GPU out, a kernel without the GPU's driver, a
/// Windows driver without libraries for WSL, or what is left: the mount itself.
void add_no_library_in_wsl(ChainBuilder& chain, Effect effect);

}  // namespace gpuway
