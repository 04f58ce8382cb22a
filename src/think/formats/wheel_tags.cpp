#include "think/formats/wheel_tags.h"

#include <algorithm>

#include "base/text.h"
#include "think/formats/python_files.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxTags = 1000;
// The first Python with the stable ABI, and the last major glibc (manylinux knows no other).
constexpr int kFirstStableAbi = 2;

std::optional<int> small_number(std::string_view text) {
  if (text.empty() || text.size() > 4 || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  const auto value = to_integer(text);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<int>(*value);
}

/// `cp311` -> {cp, 3, 11}; `py3` -> {py, 3, none}.
struct PythonTag {
  std::string_view implementation;
  int major = 0;
  std::optional<int> minor;
};
std::optional<PythonTag> parse_python_tag(std::string_view text) {
  if (text.size() < 3 || text[2] < '0' || text[2] > '9') return std::nullopt;
  PythonTag tag{text.substr(0, 2), text[2] - '0', std::nullopt};
  if (text.size() == 3) return tag;
  tag.minor = small_number(text.substr(3));
  if (!tag.minor) return std::nullopt;
  return tag;
}

std::string own_abi(const TagTarget& target) {
  auto abi = "cp" + std::to_string(target.major) + std::to_string(target.minor);
  if (target.free_threaded) abi += "t";
  if (target.major == 3 && target.minor < 8) abi += "m";
  return abi;
}

bool is_own(const PythonTag& python, const TagTarget& target) {
  return python.implementation == "cp" && python.major == target.major && python.minor == target.minor;
}

bool fits_python(const PythonTag& python, const TagTarget& target) {
  if (python.major != target.major) return false;
  if (python.implementation == "py") return !python.minor || *python.minor <= target.minor;
  if (python.implementation != "cp" || !python.minor) return false;
  // Older ones only through the stable ABI.
  return is_own(python, target) || (*python.minor < target.minor && *python.minor >= kFirstStableAbi);
}

bool fits_abi(const PythonTag& python, std::string_view abi, const TagTarget& target) {
  if (python.implementation == "py") return abi == "none";
  const bool stable = abi == "abi3" && !target.free_threaded && target.major == 3 && target.minor >= kFirstStableAbi;
  if (!is_own(python, target)) return stable;
  return stable || abi == "none" || abi == own_abi(target);
}

std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

// `2_17_x86_64` -> is it at most the target's libc, not below `floor`, and for its machine?
bool fits_libc(std::string_view rest, const TagTarget& target, int floor) {
  const auto first = rest.find('_');
  if (first == std::string_view::npos) return false;
  const auto second = rest.find('_', first + 1);
  if (second == std::string_view::npos) return false;
  const auto major = small_number(rest.substr(0, first)),
             minor = small_number(rest.substr(first + 1, second - first - 1));
  if (!major || !minor || rest.substr(second + 1) != target.machine) return false;
  return *major == target.libc_major && *minor <= target.libc_minor && *minor >= floor;
}

// manylinux1, 2010 and 2014 are names for glibc 2.5, 2.12 and 2.17.
bool fits_named(std::string_view platform, const TagTarget& target, int floor) {
  struct Alias {
    std::string_view prefix;
    int minor;
  };
  for (const auto& [prefix, minor] :
       {Alias{"manylinux1_", 5}, Alias{"manylinux2010_", 12}, Alias{"manylinux2014_", 17}}) {
    const auto machine = after(platform, prefix);
    if (machine)
      return *machine == target.machine && target.libc_major == 2 && minor <= target.libc_minor && minor >= floor;
  }
  return false;
}

bool fits_platform(const PythonTag& python, std::string_view abi, std::string_view platform, const TagTarget& target) {
  if (platform == "any") return abi == "none" && (python.implementation == "py" || is_own(python, target));
  if (const auto machine = after(platform, "linux_")) return *machine == target.machine;
  if (target.musl) {
    const auto rest = after(platform, "musllinux_");
    return rest && fits_libc(*rest, target, 0);
  }
  const int floor = target.machine == "x86_64" || target.machine == "i686" ? 5 : 17;
  if (const auto rest = after(platform, "manylinux_")) return fits_libc(*rest, target, floor);
  return fits_named(platform, target, floor);
}

}  // namespace

std::vector<WheelTag> expand_wheel_tags(std::string_view text) {
  const auto parts = split(text, '-');
  if (parts.size() != 3) return {};
  std::vector<WheelTag> tags;
  for (const auto python : split(parts[0], '.')) {
    for (const auto abi : split(parts[1], '.')) {
      for (const auto platform : split(parts[2], '.')) {
        if (tags.size() == kMaxTags) return tags;
        tags.push_back({to_lower(python), to_lower(abi), to_lower(platform)});
      }
    }
  }
  return tags;
}

std::optional<WheelName> parse_wheel_name(std::string_view file_name) {
  if (!file_name.ends_with(".whl")) return std::nullopt;
  const auto parts = split(file_name.substr(0, file_name.size() - 4), '-');
  if (parts.size() != 5 && parts.size() != 6) return std::nullopt;
  WheelName wheel;
  wheel.name = normalized_name(parts[0]);
  wheel.version = parts[1];
  if (parts.size() == 6) {
    wheel.build = parts[2];
    if (wheel.build.empty() || wheel.build.front() < '0' || wheel.build.front() > '9') return std::nullopt;
  }
  const auto tags_at = parts.size() - 3;
  wheel.tags = expand_wheel_tags(std::string(parts[tags_at]) + "-" + std::string(parts[tags_at + 1]) + "-" +
                                 std::string(parts[tags_at + 2]));
  if (wheel.name.empty() || wheel.version.empty()) return std::nullopt;
  return wheel;
}

TagFit judge_wheel_tag(const WheelTag& tag, const TagTarget& target) {
  const auto python = parse_python_tag(tag.python);
  if (!python || !fits_python(*python, target)) return TagFit::python;
  if (!fits_abi(*python, tag.abi, target)) return TagFit::abi;
  return fits_platform(*python, tag.abi, tag.platform, target) ? TagFit::fits : TagFit::platform;
}

TagFit judge_wheel_tags(const std::vector<WheelTag>& tags, const TagTarget& target) {
  auto best = TagFit::python;
  for (const auto& tag : tags) {
    const auto fit = judge_wheel_tag(tag, target);
    if (fit == TagFit::fits) return fit;
    best = std::max(best, fit);
  }
  return best;
}

}  // namespace gpuway
