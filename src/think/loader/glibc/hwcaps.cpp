#include <algorithm>
#include <string_view>

#include "think/loader/glibc/glibc_loader.h"

namespace gpuway {

namespace {

class Flags {
 public:
  explicit Flags(const std::vector<std::string>& flags) : flags_(flags) {}
  bool has_all(std::initializer_list<std::string_view> wanted) const {
    return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view flag) {
      return std::find(flags_.begin(), flags_.end(), flag) != flags_.end();
    });
  }

 private:
  const std::vector<std::string>& flags_;
};

}  // namespace

std::vector<std::string> hwcaps_of(const std::vector<std::string>& cpu_flags) {
  const Flags flags(cpu_flags);
  const auto has_all = [&](std::initializer_list<std::string_view> wanted) { return flags.has_all(wanted); };
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

LegacyPlatform legacy_platform(const std::vector<std::string>& cpu_flags, std::string_view cpu_name) {
  // glibc sysdeps/x86/cpu-features.c up to 2.36: only Intel's processors have names of their own.
  const Flags flags(cpu_flags);
  const bool intel = cpu_name.find("Intel") != std::string_view::npos;
  const bool xeon_phi = intel && flags.has_all({"avx512cd", "avx512er", "avx512pf"});
  const bool haswell = intel && !xeon_phi && flags.has_all({"avx2", "bmi1", "bmi2", "abm", "movbe", "popcnt", "fma"});
  const bool avx512 = intel && !flags.has_all({"avx512er"}) && flags.has_all({"avx512cd", "avx512bw", "avx512dq", "avx512vl"});
  LegacyPlatform out;
  if (xeon_phi) out.platform = "xeon_phi";
  if (haswell) out.platform = "haswell";
  std::vector<std::string> parts;   // each may be there or not; all of them first
  if (out.platform != "x86_64") parts.push_back(out.platform);
  if (avx512) parts.emplace_back("avx512_1");
  parts.emplace_back("x86_64");
  for (auto mask = (1U << parts.size()) - 1; mask > 0; --mask) {
    std::string folder;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if ((mask >> (parts.size() - 1 - i) & 1) != 0) folder += (folder.empty() ? "" : "/") + parts[i];
    }
    out.subfolders.push_back(std::move(folder));
  }
  return out;
}

}  // namespace gpuway
