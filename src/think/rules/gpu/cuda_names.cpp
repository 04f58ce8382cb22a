#include "think/rules/gpu/cuda_names.h"

#include "base/text.h"

namespace gpuway {

CudaVersion cuda_level(std::string_view text) {
  const auto parts = split(text, '.');
  CudaVersion level;
  if (const auto major = to_integer(parts[0])) level.major = static_cast<int>(*major);
  if (parts.size() > 1) {
    if (const auto minor = to_integer(parts[1])) level.minor = static_cast<int>(*minor);
  }
  return level;
}

CudaVersion level_of_cudart(std::string_view soname) {
  constexpr std::string_view prefix = "libcudart.so.";
  return soname.starts_with(prefix) ? cuda_level(soname.substr(prefix.size())) : CudaVersion{};
}

}  // namespace gpuway
