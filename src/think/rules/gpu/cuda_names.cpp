#include "think/rules/gpu/cuda_names.h"

#include "base/text.h"

namespace gpuway {

CudaLevel cuda_level(std::string_view text) {
  const auto parts = split(text, '.');
  CudaLevel level;
  if (const auto major = to_integer(parts[0])) level.major = static_cast<int>(*major);
  if (parts.size() > 1) {
    if (const auto minor = to_integer(parts[1])) level.minor = static_cast<int>(*minor);
  }
  return level;
}

std::string cuda_soname(std::string_view library, CudaLevel cuda) {
  const auto named = [&](const std::string& version) { return "lib" + std::string(library) + ".so." + version; };
  if (cuda.major >= 1 && cuda.major <= 9) return named(cuda.text());
  if (cuda.major == 10 && cuda.minor == 0) return named("10.0");
  if (library == "cudart") {
    if (cuda.major == 10) return named(cuda.text());
    return named(cuda.major == 11 ? "11.0" : std::to_string(cuda.major));
  }
  struct Names {
    std::string_view library;
    int v10, v11, v12, v13;
  };
  constexpr Names table[] = {{"cublas", 10, 11, 12, 13},   {"cublasLt", 10, 11, 12, 13}, {"cufft", 10, 10, 11, 12},
                             {"curand", 10, 10, 10, 10},   {"cusolver", 10, 11, 11, 12}, {"cusparse", 10, 11, 12, 12},
                             {"nvrtc", 10, 11, 12, 13},    {"nvJitLink", 0, 0, 12, 13},  {"cupti", 10, 11, 12, 13}};
  for (const auto& row : table) {
    if (row.library != library) continue;
    int number = cuda.major == 10 ? row.v10 : cuda.major == 11 ? row.v11 : cuda.major == 12 ? row.v12 : cuda.major == 13 ? row.v13 : 0;
    // CUDA 11.0 still shipped cuSOLVER 10.
    if (library == "cusolver" && cuda.major == 11 && cuda.minor == 0) number = 10;
    return number == 0 ? std::string() : named(std::to_string(number));
  }
  return {};
}

CudaLevel level_of_cudart(std::string_view soname) {
  constexpr std::string_view prefix = "libcudart.so.";
  return soname.starts_with(prefix) ? cuda_level(soname.substr(prefix.size())) : CudaLevel{};
}

}  // namespace gpuway
