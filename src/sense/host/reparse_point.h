#pragma once

#include <cstdint>
#include <string>

#include "base/byte_source.h"
#include "base/result.h"

namespace gpuway {

/// Whether a Windows file with this reparse tag leads elsewhere: symbolic links, junctions, links of WSL, and the
/// aliases that stand for Store programs. What else carries a tag (a cloud folder's file) is what it looks like.
bool is_link_tag(std::uint32_t tag);

/// Where it leads, from the bytes that FSCTL_GET_REPARSE_POINT gives, as gpuway keeps paths; relative targets stay
/// relative. unsupported for what is no link.
Result<std::string> reparse_target(ByteView buffer);

}  // namespace gpuway
