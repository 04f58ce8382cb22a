#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// The numbers of a version's release part: "2.15.0.post1" gives 2 15 0. Numbers too long for 64 bits stay at the top.
std::vector<std::uint64_t> release_numbers(std::string_view version);
/// Order of two versions by release numbers, with pre-releases and dev-releases before the release itself. Local labels
/// (`+cu118`) and post-releases do not count. Negative, zero or positive.
int compare_versions(std::string_view a, std::string_view b);
/// Whether a version is inside a list of bounds such as ">=1.24,<2"; operators >= > <= < == and !=.
bool version_within(std::string_view version, std::string_view bounds);

/// A version range of a dependency outside of which the import itself fails, although nothing is missing.
struct PinRow {
  std::string_view framework, from, until;  // releases [from, until) of the framework; empty: open
  std::string_view package, fails;      // normalised distribution name, and the versions with which the import fails
  std::string_view when_package, when;  // only if this other distribution is inside these bounds; empty: always
  std::string_view python;              // bounds on Python's version for which it holds; empty: every
  std::string_view needs;               // requirement that works, as pip takes it
  std::string_view finding;             // id of the finding that says so
  std::string_view source;
};

/// Rows that speak about this release of the framework under this Python.
std::vector<const PinRow*> pins_of(std::string_view framework, std::string_view version, std::string_view python);

}  // namespace gpuway
