#pragma once

#include <string>
#include <string_view>

namespace gpuway {

/// UTF-16 (little endian, without or with a byte order mark) as UTF-8. An unpaired surrogate becomes U+FFFD, an odd last
/// byte is left out.
std::string utf16le_to_utf8(std::string_view bytes);

}  // namespace gpuway
