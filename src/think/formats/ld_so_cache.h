#pragma once

#include "base/byte_source.h"
#include "think/model/binary.h"

namespace gpuway {

/// Reads /etc/ld.so.cache (the "glibc-ld.so.cache1.1" format, alone or behind an old-format table) and keeps the entries
/// that a 64-bit process of this machine (EM_*) takes, in file order. Fails with `malformed`, naming entry, value and
/// limit. Layout: glibc sysdeps/generic/dl-cache.h; shared facts binaries.md section 3.
Result<LoaderCache> parse_ld_so_cache(ByteView bytes, std::uint16_t machine);

}  // namespace gpuway
