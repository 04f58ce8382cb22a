#pragma once

#include "think/rules/chain_builder.h"
#include "think/rules/gpu/gpu_presence.h"

namespace gpuway {

/// The driver runs and lists no GPU although the bus has one: is it one that this driver branch or this build of the
/// kernel module does not run? True when a finding was added.
bool judge_driver_support(ChainBuilder& chain, const GpuPresence& presence, Effect effect);

}  // namespace gpuway
