#pragma once

#include "base/byte_source.h"
#include "think/model/binary.h"

namespace gpuway {

/// What the loader needs of an ELF file, from its program headers and dynamic table alone (sections may be stripped).
/// Both word sizes, little endian; big-endian files come back with class and machine only. Fails with `malformed` (which
/// table, which value, which limit) and with what reading the source fails with. Layout: System V gABI and
/// glibc's elf.h; shared facts binaries.md 2.2.
Result<ElfSummary> summarize_elf(const ByteSource& source);

/// The same as the outcome that opening the file as a library has.
BinaryView classify_elf(const ByteSource& source);

}  // namespace gpuway
