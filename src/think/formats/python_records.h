#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpuway {

/// One line of a RECORD file: which file belongs to a package, and what it was when it was installed.
struct RecordEntry {
  std::string path;                   // relative to the site folder, or absolute
  std::string hash;                   // "sha256=<urlsafe base64 without padding>", or empty
  std::optional<std::uint64_t> size;  // bytes
};
/// Reads RECORD (CSV with quotes). Fails with malformed on a line of more than three fields, an open quote or a size
/// that is no number, naming the line; with too_large beyond a million lines.
Result<std::vector<RecordEntry>> parse_record(std::string_view text);

/// direct_url.json (PEP 610): the package came from a URL or a folder, not from an index.
struct DirectUrl {
  std::string url;
  bool editable = false;
  std::string vcs, commit;  // git, the full commit; empty unless it came from a repository
};
/// Fails with malformed when there is no `url`.
Result<DirectUrl> parse_direct_url(std::string_view json);

/// One file of conda-meta: a package that conda, mamba or pixi installed.
struct CondaRecord {
  std::string name, version, build, channel;
  std::vector<std::string> depends;
};
/// `python-3.11.7-h955ad1f_0.json` taken apart; the name may hold '-', version and build do not. Nothing for other
/// names.
std::optional<CondaRecord> parse_conda_file_name(std::string_view file_name);
/// Reads the record itself; its list of files (often megabytes) is passed over. Fails with malformed.
Result<CondaRecord> parse_conda_record(std::string_view json);

/// A Jupyter kernel specification: the first word of its command line. Fails with malformed.
Result<std::string> parse_kernel_interpreter(std::string_view json);

/// The interpreter that VS Code settings name (JSON with comments), or an empty text. Fails with malformed.
Result<std::string> parse_vscode_interpreter(std::string_view json);

}  // namespace gpuway
