#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace gpuway {

/// A CUDA release, e.g. 12.4.
struct CudaVersion {
  int major = 0, minor = 0;
  auto operator<=>(const CudaVersion&) const = default;
  /// Out of CUDA's own numbers: 12040 is 12.4.
  static CudaVersion of_number(int number) { return {number / 1000, number % 1000 / 10}; }
  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

/// The CUDA level that an NVIDIA driver announces ("550.54.14" -> 12.4), by its branch: the table's last branch that is
/// not newer. Nothing for a text that is no driver version and for branches before the table's first. A branch after
/// the last gives the last one's level: at least that. Source: data/tables/cuda.toml.
std::optional<CudaVersion> cuda_of_driver(std::string_view driver_version);

/// The first number of a driver version, its branch; nothing when it is no driver version.
std::optional<int> driver_branch(std::string_view driver_version);

/// The CUDA release whose driver is the first to take PTX of this ISA version. A version between two rows counts as the
/// later one; nothing for one that is newer than the table.
std::optional<CudaVersion> cuda_for_ptx(unsigned major, unsigned minor);

/// The lowest Linux driver that runs programs of this CUDA major by minor-version compatibility ("525.60.13" for 12).
/// Empty where there is none: CUDA 10 and older, and majors the table does not have.
std::string_view lowest_driver_of_major(int cuda_major);

/// The same for Windows ("528.33" for 12).
std::string_view lowest_windows_driver_of_major(int cuda_major);

/// The lowest Linux driver with everything of this CUDA release ("550.54.14" for 12.4). For a release that never had a
/// toolkit of its own (12.7) the next one's. Empty when it is newer than the table or older than 10.0.
std::string_view lowest_driver_of_release(CudaVersion release);

/// Where it is reported that PTX of this framework's builds fails on GPUs of this compute capability although the rules
/// would have the driver compile it; nothing when it is not.
std::optional<std::string_view> report_of_failing_ptx(std::string_view framework, CudaVersion compute_capability);

/// Whether driver version `a` is older than `b`, number by number. A text that is no driver version is never older.
bool is_older_driver(std::string_view a, std::string_view b);

}  // namespace gpuway
