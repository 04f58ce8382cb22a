#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// One compatibility tag: cp311-abi3-manylinux_2_17_x86_64.
struct WheelTag {
  std::string python, abi, platform;
  bool operator==(const WheelTag&) const = default;
};

/// A wheel's file name taken apart.
struct WheelName {
  std::string name;  // normalised
  std::string version;
  std::string build;  // or empty
  std::vector<WheelTag> tags;
};

/// `py2.py3-none-any` as the product of its sets: at most 1,000 tags. Empty when there are not three parts.
std::vector<WheelTag> expand_wheel_tags(std::string_view text);
/// Nothing when the name is not that of a wheel (5 or 6 parts, `.whl`).
std::optional<WheelName> parse_wheel_name(std::string_view file_name);

/// The CPython on Linux that tags are judged for.
struct TagTarget {
  int major = 3, minor = 0;
  bool free_threaded = false;
  std::string machine;  // x86_64, aarch64, i686, armv7l, ppc64le, s390x
  bool musl = false;
  int libc_major = 0, libc_minor = 0;  // glibc 2.36, musl 1.2
};

/// The first part of a tag that does not fit, in the order in which a person would look.
enum class TagFit : unsigned char { fits, python, abi, platform };
/// Judges one tag, as `packaging.tags` would list it for the target (a `_manylinux` module that forbids is not asked).
TagFit judge_wheel_tag(const WheelTag& tag, const TagTarget& target);
/// The best outcome over several tags: `fits` when one fits, else what the one that came furthest lacks.
TagFit judge_wheel_tags(const std::vector<WheelTag>& tags, const TagTarget& target);

}  // namespace gpuway
