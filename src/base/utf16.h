#pragma once

#include <string>
#include <string_view>

namespace gpuway {

/// UTF-16 as UTF-8. A surrogate without its partner, which Windows allows in names, becomes the three bytes that its
/// number has in UTF-8's scheme (no well-formed UTF-8), so that the way back gives the same name.
std::string utf8_from_utf16(std::u16string_view text);
/// The way back. Bytes that belong to no character become U+FFFD.
std::u16string utf16_from_utf8(std::string_view text);

}  // namespace gpuway
