#pragma once

#include "think/rules/chain_builder.h"

namespace gpuway {

/// A WSL 2 distribution without a driver library whose settings keep the GPU away: `gpuSupport=false` or `safeMode=true` of
/// .wslconfig, `enabled=false` under [gpu] of /etc/wsl.conf. False, and nothing added, when no setting that is in force
/// does.
bool add_gpu_switched_off(ChainBuilder& chain, Effect effect);

}  // namespace gpuway
