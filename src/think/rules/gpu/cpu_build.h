#pragma once

#include <string>
#include <vector>

#include "think/rules/chain_builder.h"

namespace gpuway {

/// A build without GPU code on a machine that has an NVIDIA GPU does not do what its user expects: cpu-only-wheel.
/// `file` is where the build says so, `commands` what brings the GPU build.
void judge_cpu_build(ChainBuilder& chain, const std::string& file, const std::string& what,
                     const std::vector<std::string>& commands);

/// A build for AMD's or Intel's GPUs: only what device nodes prove is said.
void judge_other_vendor_build(ChainBuilder& chain);

}  // namespace gpuway
