#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// PEP 503: lower case, runs of '-', '_' and '.' become one '-'.
std::string normalized_name(std::string_view name);

/// `Foo_Bar-1.2.dist-info` -> {foo-bar, 1.2}; also `.egg-info` with or without `-py3.8`. Nothing for other names.
struct DistributionName {
  std::string name, version;
};
std::optional<DistributionName> parse_distribution_folder(std::string_view file_name);

/// RFC 822 headers of METADATA, PKG-INFO and WHEEL up to the first empty line: repeated fields keep their order, folded
/// lines are joined. Field names are lower case.
std::vector<std::pair<std::string, std::string>> parse_headers(std::string_view text);

/// pyvenv.cfg: `key = value`, keys lower case, split at the first '='.
std::map<std::string, std::string> parse_pyvenv_cfg(std::string_view text);

/// The lines of a .pth file as site.py treats them: a folder to add, or code that runs.
struct PthLine {
  std::string text;
  bool code = false;
};
std::vector<PthLine> parse_pth(std::string_view text);

/// Whether an extension module's file name is one that CPython `major.minor` imports, and the module it then is:
/// foo.cpython-311-x86_64-linux-gnu.so, foo.abi3.so, foo.so. Free-threaded builds have their own tag (313t).
std::optional<std::string> extension_module(std::string_view file_name, int major, int minor, bool free_threaded);

}  // namespace gpuway
