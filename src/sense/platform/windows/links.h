#pragma once

#include <string>

#include "base/result.h"
#include "sense/platform/windows/native.h"

namespace gpuway {

/// Whether an entry of a folder with these attributes is a link (see is_link_tag).
bool is_link(DWORD attributes, DWORD tag);

/// Where the link leads, as it stands there; relative targets stay relative. unsupported for what is no link.
Result<std::string> read_native_link(const std::wstring& path);

/// Opens a file or folder to ask about it. Aliases for Store programs, which the system only starts and never opens,
/// lead to the program they stand for.
Result<Handle> open_to_ask(const std::wstring& path, bool follow_links);

}  // namespace gpuway
