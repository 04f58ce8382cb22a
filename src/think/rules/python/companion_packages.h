#pragma once

#include "think/rules/chain_builder.h"

namespace gpuway {

/// Judges compiled packages that stand on PyTorch (torchvision, torchaudio): each release is made for one release of torch,
/// and a CPU build beside a CUDA build of torch has no GPU operators. torch itself works, so these are warnings.
void judge_torch_companions(ChainBuilder& chain);

}  // namespace gpuway
