#include "base/utf16.h"

#include <cstdint>

namespace gpuway {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_high(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// One character at the start of `text`, also a lone surrogate; how many bytes it has goes to `length`.
char32_t decode(std::string_view text, std::size_t& length) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  const auto first = byte(0);
  length = 1;
  if (first < 0x80) return first;
  const std::size_t wanted = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || wanted > text.size()) return kReplacement;
  auto value = static_cast<char32_t>(first & (0xFF >> (wanted + 1)));
  for (std::size_t i = 1; i < wanted; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return kReplacement;
    value = (value << 6) | (byte(i) & 0x3F);
  }
  if ((wanted == 3 && value < 0x800) || (wanted == 4 && value < 0x10000) || value > 0x10FFFF) return kReplacement;
  length = wanted;
  return value;
}

void encode(char32_t value, std::string& out) {
  const auto add = [&](char32_t bits) { out += static_cast<char>(static_cast<std::uint8_t>(bits)); };
  if (value < 0x80) return add(value);
  if (value < 0x800) {
    add(0xC0 | (value >> 6));
  } else if (value < 0x10000) {
    add(0xE0 | (value >> 12));
    add(0x80 | ((value >> 6) & 0x3F));
  } else {
    add(0xF0 | (value >> 18));
    add(0x80 | ((value >> 12) & 0x3F));
    add(0x80 | ((value >> 6) & 0x3F));
  }
  add(0x80 | (value & 0x3F));
}

}  // namespace

std::string utf8_from_utf16(std::u16string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t value = text[i];
    if (is_high(value) && i + 1 < text.size() && is_low(text[i + 1])) {
      value = 0x10000 + ((value - 0xD800) << 10) + (text[++i] - char32_t{0xDC00});
    }
    encode(value, out);
  }
  return out;
}

std::u16string utf16_from_utf8(std::string_view text) {
  std::u16string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = 0;
    const auto value = decode(text, length);
    text.remove_prefix(length);
    if (value < 0x10000) {
      out += static_cast<char16_t>(value);
    } else {
      out += static_cast<char16_t>(0xD800 + ((value - 0x10000) >> 10));
      out += static_cast<char16_t>(0xDC00 + ((value - 0x10000) & 0x3FF));
    }
  }
  return out;
}

}  // namespace gpuway
