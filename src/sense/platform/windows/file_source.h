#pragma once

#include <memory>
#include <string>

#include "base/byte_source.h"
#include "sense/platform/windows/native.h"

namespace gpuway {

/// Opens a regular file for reading. A file that the system would first fetch from elsewhere (a cloud folder) is
/// not_looked; a folder, device or pipe is unsupported.
Result<Handle> open_regular(const std::wstring& path);

/// "volume:file", equal for two paths exactly when they are the same file; empty when the file system does not tell.
std::string identity_of(HANDLE file);

/// An open file; mapped only when a view is asked for.
Result<std::unique_ptr<ByteSource>> source_of(Handle file);

}  // namespace gpuway
