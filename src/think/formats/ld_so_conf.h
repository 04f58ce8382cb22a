#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// One line of ld.so.conf that says something: a folder, or a pattern of further files to read in its place.
struct LdSoConfEntry {
  std::string text;      // the folder without slashes at its end, or the pattern as written
  bool include = false;
  bool operator==(const LdSoConfEntry&) const = default;
};

/// Reads ld.so.conf as ldconfig does (glibc elf/ldconfig.c, parse_conf): `#` begins a comment, `include` takes patterns,
/// `hwcap` lines say nothing any more, every other line is one folder, whose `=TYPE` is dropped. Relative folders are left
/// out, as ldconfig does. At most 10,000 entries; later lines are dropped.
std::vector<LdSoConfEntry> parse_ld_so_conf(std::string_view text);

/// Whether a file name fits a pattern with `*` and `?`, as the shell's globbing without braces and brackets does; a name
/// that begins with a dot needs the dot in the pattern.
bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace gpuway
