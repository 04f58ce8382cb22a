#pragma once

#include "think/loader/glibc/trace.h"
#include "think/rules/chain_builder.h"
#include "think/rules/gpu/gpu_presence.h"

namespace gpuway {

/// libcuda.so.1 is nowhere on the way of the search: why? WSL, a container, a folder that is not searched, no driver, or
/// no GPU at all.
void add_driver_missing(ChainBuilder& chain, const LoadOutcome& outcome, Effect effect);

/// A machine that has no NVIDIA GPU is no broken machine: the finding says why the GPU is not used, as a note. False,
/// and nothing added, when that is not known.
bool add_no_gpu(ChainBuilder& chain, Effect effect, const GpuPresence& presence);

}  // namespace gpuway
