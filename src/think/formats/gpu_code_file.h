#pragma once

#include <optional>

#include "base/byte_source.h"
#include "think/model/binary.h"

namespace gpuway {

/// GPU code that is a file of its own, as compilers and kernel caches write it: a cubin (an ELF file for the GPU) or
/// PTX text. `head` is the beginning of the file, 64 KiB are enough. Nothing for every other kind of file. A cubin's
/// suffix is told only where its header has it; the compilers of CUDA 13 leave it out (binaries.md 1.4).
std::optional<GpuCodeSummary::Row> gpu_code_of_file(ByteView head);

}  // namespace gpuway
