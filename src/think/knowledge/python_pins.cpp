#include "think/knowledge/python_pins.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace gpuway {
namespace {

#include "knowledge/python_pins_data.inc"

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What follows the release part decides between a pre-release (before) and everything else.
bool is_before_release(std::string_view version) {
  std::size_t at = 0;
  while (at < version.size() && (is_digit(version[at]) || version[at] == '.')) ++at;
  const auto rest = to_lower(version.substr(at, version.substr(at).find('+')));
  for (const std::string_view mark : {"a", "b", "c", "rc", "dev", "alpha", "beta", "pre"}) {
    auto tail = std::string_view(rest);
    while (!tail.empty() && (tail.front() == '-' || tail.front() == '_')) tail.remove_prefix(1);
    if (tail.starts_with(mark) && !tail.starts_with("build")) return true;
  }
  return false;
}

}  // namespace

std::vector<std::uint64_t> release_numbers(std::string_view version) {
  std::vector<std::uint64_t> numbers;
  version = trim(version);
  if (version.starts_with('v')) version.remove_prefix(1);
  std::size_t at = 0;
  while (at < version.size() && is_digit(version[at])) {
    std::uint64_t number = 0;
    for (; at < version.size() && is_digit(version[at]); ++at) {
      constexpr auto top = std::numeric_limits<std::uint64_t>::max();
      number = number > (top - 9) / 10 ? top : number * 10 + static_cast<std::uint64_t>(version[at] - '0');
    }
    numbers.push_back(number);
    if (at >= version.size() || version[at] != '.') break;
    ++at;
  }
  return numbers;
}

int compare_versions(std::string_view a, std::string_view b) {
  auto left = release_numbers(a), right = release_numbers(b);
  const auto length = std::max(left.size(), right.size());
  left.resize(length);
  right.resize(length);
  if (left != right) return left < right ? -1 : 1;
  return static_cast<int>(is_before_release(b)) - static_cast<int>(is_before_release(a));
}

bool version_within(std::string_view version, std::string_view bounds) {
  for (auto bound : split(bounds, ',')) {
    bound = trim(bound);
    if (bound.empty()) continue;
    const auto digits = bound.find_first_not_of("<>=!");
    if (digits == std::string_view::npos) continue;
    const auto order = compare_versions(version, bound.substr(digits));
    const auto op = bound.substr(0, digits);
    const bool holds = op == ">="   ? order >= 0
                       : op == ">"  ? order > 0
                       : op == "<=" ? order <= 0
                       : op == "<"  ? order < 0
                       : op == "!=" ? order != 0
                                    : order == 0;
    if (!holds) return false;
  }
  return true;
}

std::vector<const PinRow*> pins_of(std::string_view framework, std::string_view version, std::string_view python) {
  std::vector<const PinRow*> found;
  for (const auto& row : kPins) {
    if (row.framework != framework || !version_within(python, row.python)) continue;
    if (!row.from.empty() && compare_versions(version, row.from) < 0) continue;
    if (!row.until.empty() && compare_versions(version, row.until) >= 0) continue;
    found.push_back(&row);
  }
  return found;
}

}  // namespace gpuway
