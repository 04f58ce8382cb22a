#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace gpuway {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Length of the well-formed UTF-8 sequence at `at`, or 0. Follows the table of The Unicode Standard, chapter 3 (D92).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto tail = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(at);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(at + 1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return tail(at + 1, low, high) && tail(at + 2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return tail(at + 1, low, high) && tail(at + 2, 0x80, 0xBF) && tail(at + 3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

// Control characters, and the marks that reorder or break a line and so make a text look like another one. `length` is
// that of the well-formed sequence at `at`.
bool is_control(std::string_view text, std::size_t at, std::size_t length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  if (length == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (length == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;   // U+0080..U+009F
  if (length != 3 || byte(0) != 0xE2) return false;
  if (byte(1) == 0x80) return byte(2) >= 0xA8 && byte(2) <= 0xAE;   // U+2028..U+202E
  return byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;     // U+2066..U+2069
}

void append_hex(std::string& out, unsigned char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += "\\x";
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

// The private-use block that stands for the bytes 0x80..0xFF that are no UTF-8: U+F780..U+F7FF, "EF 9E 80".."EF 9F BF".
constexpr unsigned kEscapeBase = 0xF700;

bool is_escape(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size() || static_cast<unsigned char>(text[at]) != 0xEF) return false;
  const auto second = static_cast<unsigned char>(text[at + 1]), third = static_cast<unsigned char>(text[at + 2]);
  return (second == 0x9E || second == 0x9F) && third >= 0x80 && third <= 0xBF;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const auto& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto length = sequence_length(text, at);
    if (length == 0 || is_control(text, at, length)) {
      const auto count = length == 0 ? 1 : length;
      for (std::size_t i = 0; i < count; ++i) append_hex(out, static_cast<unsigned char>(text[at + i]));
      at += count;
      continue;
    }
    out.append(text, at, length);
    at += length;
  }
  return out;
}

std::string escape_json_controls(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const auto length = std::max<std::size_t>(1, sequence_length(json, at));
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(json[at + i]); };
    // Below U+0020 stand only the line ends between the values; inside of strings JSON has escaped them already.
    if (byte(0) >= 0x20 && is_control(json, at, length)) {
      const unsigned point = length == 1   ? byte(0)
                             : length == 2 ? (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU)
                                           : (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
      constexpr std::string_view digits = "0123456789abcdef";
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += digits[point >> shift & 15U];
    } else {
      out.append(json, at, length);
    }
    at += length;
  }
  return out;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = sequence_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string to_json_text(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const auto length = sequence_length(bytes, at);
    if (length != 0 && !is_escape(bytes, at)) {
      out.append(bytes, at, length);
      at += length;
      continue;
    }
    const unsigned point = kEscapeBase + static_cast<unsigned char>(bytes[at]);
    out += static_cast<char>(0xE0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
    ++at;
  }
  return out;
}

std::string from_json_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (is_escape(text, at)) {
      const unsigned point = ((0xEFU & 0x0FU) << 12) | ((static_cast<unsigned char>(text[at + 1]) & 0x3FU) << 6) |
                             (static_cast<unsigned char>(text[at + 2]) & 0x3FU);
      out += static_cast<char>(point - kEscapeBase);
      at += 3;
      continue;
    }
    out += text[at++];
  }
  return out;
}

}  // namespace gpuway
