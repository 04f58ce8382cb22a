#pragma once

#include "think/rules/chain_builder.h"

namespace gpuway {

// The frameworks' chains on a Windows machine; each fills everything but the closing.
void judge_tensorflow_on_windows(ChainBuilder& chain);
void judge_pytorch_on_windows(ChainBuilder& chain);
void judge_onnxruntime_on_windows(ChainBuilder& chain);
void judge_jax_on_windows(ChainBuilder& chain);

}  // namespace gpuway
