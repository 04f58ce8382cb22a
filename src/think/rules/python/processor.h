#pragma once

#include "think/rules/chain_builder.h"

namespace gpuway {

/// The instructions that TensorFlow's and jaxlib's x86-64 builds cannot do without, against the processor's. Says nothing where
/// the processor's flags are not known.
void judge_processor(ChainBuilder& chain);

}  // namespace gpuway
