#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpuway {

/// What environment markers are evaluated against.
struct MarkerEnvironment {
  /// Variable -> value, by the names of the specification (python_version, sys_platform, ...). A variable that is not
  /// in here makes the evaluation fail, so that nothing is decided on a guess.
  std::map<std::string, std::string, std::less<>> values;
  std::set<std::string> extras;  // the extras asked for, in any spelling
};

/// The values for CPython of that full version ("3.11.7") on Linux; `machine` as uname prints it (x86_64, aarch64).
/// platform_release and platform_version belong to the kernel and stay out unless added.
MarkerEnvironment linux_marker_environment(std::string_view python_full_version, std::string_view machine);

/// A parsed marker: comparisons and the order in which they are joined (postfix, so that no depth is too deep).
struct Marker {
  struct Operand {
    bool is_variable = false;
    std::string text;  // the variable's name, or the string without its quotes
  };
  struct Comparison {
    Operand left, right;
    std::string op;  // <= < != == >= > ~= === in, "not in"
  };
  struct Step {
    enum class Kind : unsigned char { compare, both, either };
    Kind kind = Kind::compare;
    std::size_t index = 0;  // of the comparison
  };
  std::vector<Comparison> comparisons;
  std::vector<Step> steps;  // empty: no marker, always true
};

/// Reads `python_version >= "3.8" and extra == "cuda"`. Fails with malformed: not in the grammar, nested more than 200
/// parentheses deep, or a backslash in a string (nobody writes one, and its meaning is that of a Python literal).
Result<Marker> parse_marker(std::string_view text);

/// Whether the marker holds. Versions are compared as versions only for python_version, python_full_version,
/// implementation_version and platform_release; a value there that is no version gives false. Other values are text:
/// `<` and `>` are never true. Fails with unsupported when a variable is not in `environment` or the comparison has no
/// meaning (`~=` between words).
Result<bool> evaluate(const Marker& marker, const MarkerEnvironment& environment);

}  // namespace gpuway
