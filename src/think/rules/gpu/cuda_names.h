#pragma once

#include <string_view>

#include "think/knowledge/cuda.h"

namespace gpuway {

/// "12.5.1" -> {12, 5}; {0, 0} when it is no version.
CudaVersion cuda_level(std::string_view text);

/// libcudart.so.11.0 -> {11, 0}; libcudart.so.12 -> {12, 0}.
CudaVersion level_of_cudart(std::string_view soname);

}  // namespace gpuway
