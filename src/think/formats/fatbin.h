#pragma once

#include "base/byte_source.h"
#include "think/model/binary.h"

namespace gpuway {

/// The GPU code in one file, counted per architecture from the headers of its fatbin containers; nothing is
/// decompressed. Containers lie in `.nv_fatbin`, `__nv_relfatbin`, and in data sections of libraries that load code
/// themselves, so every file-backed, non-executable section is searched; a file without sections is searched whole.
/// Also reads a bare container. Damaged containers are counted, not an error. Fails with what reading the source fails
/// with, and with `malformed` for an ELF file whose section table breaks the format. Layout and rules: shared facts
/// binaries.md 1.1 to 1.3.
Result<GpuCodeSummary> summarize_gpu_code(const ByteSource& source);

}  // namespace gpuway
