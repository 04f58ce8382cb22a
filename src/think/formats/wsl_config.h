#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "think/model/wsl.h"

namespace gpuway {

/// .wslconfig (`file` "wslconfig") or /etc/wsl.conf ("wsl.conf") as WSL reads them: names in any case, the first of two
/// equal keys counts, `#` begins a comment, a backslash escapes. `keys` are the settings that are known; a key that is
/// none of them, and a value that WSL would leave out, become problems with their line. A damaged line costs that line
/// only. Any bytes give a value; of a file beyond 1 MiB only the beginning is read.
WslConfig parse_wsl_config(std::string_view bytes, std::string_view file, std::span<const WslKey> keys);

/// Whether a value fits the type of its key ("8GB" is a size, "8 GB" is none).
bool fits_wsl_key(const WslKey& key, std::string_view value);

}  // namespace gpuway
