#include "think/knowledge/builds.h"

#include <charconv>

namespace gpuway {
namespace {

#include "knowledge/builds_data.inc"

constexpr int kFirstWithMinorCompatibility = 11;

// Calls `test` with every version of a list such as "7.5 8.0"; true when one of them passes.
template <class Test>
bool any_version(std::string_view list, Test test) {
  while (!list.empty()) {
    const auto word = list.substr(0, list.find(' '));
    list.remove_prefix(word.size() < list.size() ? word.size() + 1 : word.size());
    CudaVersion version;
    const auto* end = word.data() + word.size();
    const auto [dot, fault] = std::from_chars(word.data(), end, version.major);
    if (fault != std::errc() || dot == end) continue;
    std::from_chars(dot + 1, end, version.minor);
    if (test(version)) return true;
  }
  return false;
}

}  // namespace

std::span<const FrameworkBuild> framework_builds() { return kBuilds; }

bool has_machine_code_for(const FrameworkBuild& build, CudaVersion gpu) {
  return any_version(build.code, [&](CudaVersion code) { return code.major == gpu.major && code.minor <= gpu.minor; });
}

bool runs_on(const FrameworkBuild& build, CudaVersion gpu) {
  return has_machine_code_for(build, gpu) || any_version(build.ptx, [&](CudaVersion ptx) { return ptx <= gpu; });
}

bool is_served_by(const FrameworkBuild& build, CudaVersion driver_level) {
  return build.cuda.major >= kFirstWithMinorCompatibility ? driver_level.major >= build.cuda.major : driver_level >= build.cuda;
}

}  // namespace gpuway
