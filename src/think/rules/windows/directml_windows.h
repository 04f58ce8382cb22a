#pragma once

#include "think/rules/windows/windows_python.h"

namespace gpuway {

/// TensorFlow's DirectML plug-in, when the environment has it: sets the flavour, judges its release and the adapters.
void judge_directml_plugin(ChainBuilder& chain, WindowsPython& process);

/// DirectML computes on any adapter that Direct3D 12 offers: none but Microsoft's basic one means no GPU; which of the others
/// it takes is not asked here.
void judge_directml_adapters(ChainBuilder& chain);

}  // namespace gpuway
