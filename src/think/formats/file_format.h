#pragma once

#include <string_view>

#include "base/byte_source.h"

namespace gpuway {

/// What a file is that is no library of this system, told by its first bytes (512 are enough): empty | elf | pe | mach-o |
/// zip (a wheel is one) | gzip | ar (a static library) | llvm-bitcode | git-lfs-pointer | linker-script | script | text |
/// unknown. Text is what holds no control characters but white space.
std::string_view format_of_file(ByteView head);

}  // namespace gpuway
