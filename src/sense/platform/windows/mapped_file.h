#pragma once

#include <cstdint>

#include "sense/platform/windows/windows_api.h"

namespace gpuway {

/// Maps a file for reading; nullptr when that is not possible. Pages that the drive cannot give read as zeros instead
/// of ending this process.
void* map_file(HANDLE file, std::uint64_t size);
void unmap_file(void* at);

}  // namespace gpuway
