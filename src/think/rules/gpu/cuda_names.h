#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "think/rules/driver/cuda_driver.h"

namespace gpuway {

/// "12.5.1" -> {12, 5}; {0, 0} when it is no version.
CudaLevel cuda_level(std::string_view text);

/// The SONAME under which a CUDA release ships one of its libraries on Linux: ("cusolver", 12.5) -> libcusolver.so.11.
/// Empty when unknown. Source: the toolkits' own file names, shared facts loads-linux.toml and tensorflow.toml.
std::string cuda_soname(std::string_view library, CudaLevel cuda);

/// libcudart.so.11.0 -> {11, 0}; libcudart.so.12 -> {12, 0}.
CudaLevel level_of_cudart(std::string_view soname);

}  // namespace gpuway
