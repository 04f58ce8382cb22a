#pragma once

#include <cstddef>

namespace gpuway {

/// Maps a file for reading; nullptr when that is not possible. When another process cuts the file short (a package that
/// is being installed), the part that is gone reads as zeros instead of ending this process by SIGBUS.
void* map_file(int file, std::size_t size);
void unmap_file(void* at, std::size_t size);

}  // namespace gpuway
