#pragma once

#include "think/rules/python/python_process.h"

namespace gpuway {

/// Judges whether the cuDNN that the process has loaded is as new as the one that the build asks for in its METADATA
/// (frameworks refuse one of an older minor release when they first use it). Without a way to tell either version nothing
/// is said. `owner` is the distribution whose METADATA counts; `effect` is what an older one takes away.
void judge_cudnn_age(ChainBuilder& chain, PythonProcess& process, const PythonPackage* owner, int cudnn_major, Effect effect);

}  // namespace gpuway
