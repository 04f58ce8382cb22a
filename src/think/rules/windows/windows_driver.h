#pragma once

#include "think/rules/driver/cuda_driver.h"
#include "think/rules/windows/windows_python.h"

namespace gpuway {

/// Loads nvcuda.dll as the framework does (`flags` of LoadLibraryEx), has it asked, and judges the links driver-library and
/// device.
DriverAnswer judge_nvcuda(ChainBuilder& chain, WindowsPython& process, std::uint32_t flags, Effect effect);

/// NVIDIA's driver version out of the one that Windows counts: "32.0.15.6636" is 566.36. Empty when it is none. Source: NVIDIA's
/// own release notes name both; shared facts binaries.md 2.4.
std::string nvidia_version_of(const std::string& windows_version);

}  // namespace gpuway
