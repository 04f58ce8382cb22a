#include "think/knowledge/cuda.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"

namespace gpuway {
namespace {

struct ToolkitRow {
  CudaVersion cuda;
  std::string_view driver;
  bool confirmed;
};
struct MajorRow {
  int cuda;
  std::string_view driver;
  bool confirmed;
};
using WindowsMajorRow = MajorRow;
struct BranchRow {
  int branch;
  CudaVersion cuda;
  bool confirmed;
};
struct PtxRow {
  CudaVersion isa, cuda;
  bool confirmed;
};
struct JitFaultRow {
  std::string_view framework;
  CudaVersion compute_capability;
  std::string_view report;
};

#include "knowledge/cuda_data.inc"

std::optional<std::vector<std::int64_t>> numbers_of(std::string_view version) {
  std::vector<std::int64_t> numbers;
  for (const auto part : split(version, '.')) {
    const auto number = to_integer(part);
    if (!number || *number < 0) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

std::optional<int> driver_branch(std::string_view driver_version) {
  const auto numbers = numbers_of(driver_version);
  // A branch alone ("550") is one too; a number of five digits is none (`sort -V` of a date, a build number).
  if (!numbers || numbers->front() > 9999) return std::nullopt;
  return static_cast<int>(numbers->front());
}

std::optional<CudaVersion> cuda_of_driver(std::string_view driver_version) {
  const auto branch = driver_branch(driver_version);
  if (!branch) return std::nullopt;
  const auto* after = std::upper_bound(std::begin(kBranches), std::end(kBranches), *branch,
                                       [](int wanted, const BranchRow& row) { return wanted < row.branch; });
  if (after == std::begin(kBranches)) return std::nullopt;
  return std::prev(after)->cuda;
}

std::optional<CudaVersion> cuda_for_ptx(unsigned major, unsigned minor) {
  if (major > 999 || minor > 999) return std::nullopt;
  const CudaVersion wanted{static_cast<int>(major), static_cast<int>(minor)};
  const auto* row = std::lower_bound(std::begin(kPtx), std::end(kPtx), wanted,
                                     [](const PtxRow& have, const CudaVersion& isa) { return have.isa < isa; });
  if (row == std::end(kPtx)) return std::nullopt;
  return row->cuda;
}

std::string_view lowest_driver_of_major(int cuda_major) {
  for (const auto& row : kMajors) {
    if (row.cuda == cuda_major) return row.driver;
  }
  return {};
}

std::string_view lowest_windows_driver_of_major(int cuda_major) {
  for (const auto& row : kWindowsMajors) {
    if (row.cuda == cuda_major) return row.driver;
  }
  return {};
}

std::string_view lowest_driver_of_release(CudaVersion release) {
  if (release < std::begin(kToolkits)->cuda) return {};
  const auto* row =
      std::lower_bound(std::begin(kToolkits), std::end(kToolkits), release,
                       [](const ToolkitRow& have, const CudaVersion& wanted) { return have.cuda < wanted; });
  return row == std::end(kToolkits) ? std::string_view() : row->driver;
}

std::optional<std::string_view> report_of_failing_ptx(std::string_view framework, CudaVersion compute_capability) {
  for (const auto& row : kJitFaults) {
    if (row.framework == framework && compute_capability >= row.compute_capability) return row.report;
  }
  return std::nullopt;
}

bool is_older_driver(std::string_view a, std::string_view b) {
  const auto left = numbers_of(a), right = numbers_of(b);
  return left && right && *left < *right;
}

}  // namespace gpuway
