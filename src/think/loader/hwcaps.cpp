#include <algorithm>
#include <string_view>

#include "think/loader/glibc_loader.h"

namespace gpuway {

std::vector<std::string> hwcaps_of(const std::vector<std::string>& cpu_flags) {
  const auto has_all = [&](std::initializer_list<std::string_view> wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view flag) {
      return std::find(cpu_flags.begin(), cpu_flags.end(), flag) != cpu_flags.end();
    });
  };
  // The levels of the x86-64 psABI, as glibc tests them (sysdeps/x86_64/dl-hwcaps-subdirs.c).
  std::vector<std::string> levels;
  if (!has_all({"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"})) return levels;
  levels.emplace_back("x86-64-v2");
  if (has_all({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"})) {
    levels.insert(levels.begin(), "x86-64-v3");
    if (has_all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})) levels.insert(levels.begin(), "x86-64-v4");
  }
  return levels;
}

}  // namespace gpuway
