#pragma once

#include <string>

#include "think/rules/chain_builder.h"

namespace gpuway {

/// Whether the CUDA provider `file`, which does not lie in `capi`, belongs there by the package's own list; then the GPU
/// build is told to be incomplete. False for a build that never had one. Where several onnxruntime packages share the
/// folder nothing is said: the list is that of the one that was written over.
bool judge_provider_gone(ChainBuilder& chain, const std::string& capi, const std::string& file);

}  // namespace gpuway
