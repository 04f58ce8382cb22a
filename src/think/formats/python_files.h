#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuway {

/// PEP 503: lower case, runs of '-', '_' and '.' become one '-'.
std::string normalized_name(std::string_view name);

/// What the name of a metadata folder tells.
struct DistributionName {
  std::string name;     // normalised
  std::string version;  // empty when the folder does not say
};
/// `Foo_Bar-1.2.dist-info` -> {foo-bar, 1.2}; also `.egg-info` with or without `-py3.8`. Nothing for other names. The
/// parts are escaped there; METADATA has the exact spelling.
std::optional<DistributionName> parse_distribution_folder(std::string_view file_name);
/// `foo-1.2-py3.8.egg` -> {foo, 1.2}: an egg folder, whose metadata lies in EGG-INFO inside it.
std::optional<DistributionName> parse_egg_folder(std::string_view file_name);

using Headers = std::vector<std::pair<std::string, std::string>>;
/// The headers of METADATA, PKG-INFO and WHEEL up to the first line that is none: repeated fields keep their order,
/// folded lines are joined by a blank. Field names are lower case. At most 20,000 fields.
Headers parse_headers(std::string_view text);
/// Where the headers end (behind the empty line), or nothing when `text` is a beginning that does not hold them all.
std::optional<std::size_t> headers_end(std::string_view text);

/// pyvenv.cfg as the interpreter and its site module read it.
struct PyvenvConfig {
  std::string home;                  // the folder of the base interpreter
  bool system_site_packages = true;  // a missing key counts as true
  std::string version;               // `version` (venv) or `version_info` (virtualenv, uv)
  std::string creator;               // venv, virtualenv or uv
};
PyvenvConfig parse_pyvenv_cfg(std::string_view text);

/// The lines of a .pth file as site.py treats them: a folder to add, or code that runs.
struct PthLine {
  std::string text;
  bool code = false;
};
/// `utf8_rules`: Python 3.13 and newer, which accept a byte order mark and split at more characters. At most 10,000
/// lines.
std::vector<PthLine> parse_pth(std::string_view text, bool utf8_rules);

/// Whether an extension module's file name is one that CPython `major.minor` imports, and the module it then is:
/// foo.cpython-311-x86_64-linux-gnu.so, foo.abi3.so, foo.so. Free-threaded builds have their own tag (313t).
std::optional<std::string> extension_module(std::string_view file_name, int major, int minor, bool free_threaded);

/// The endings of extension modules that CPython tries, in its order. `triplet` is x86_64-linux-gnu and the like.
/// Source: CPython Python/dynload_shlib.c (3.6 to 3.14) and `importlib.machinery.EXTENSION_SUFFIXES`.
std::vector<std::string> extension_suffixes(int major, int minor, bool free_threaded, std::string_view triplet);

}  // namespace gpuway
