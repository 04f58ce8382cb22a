#include "say/render/columns.h"

#include <cstdint>

namespace gpuway {
namespace {

struct Character {
  std::uint32_t point = 0;
  std::size_t length = 1;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(at);
  const auto tail = [&](std::size_t i) { return byte(at + i) & 0x3FU; };
  if (lead >= 0xF0 && at + 3 < text.size()) return {(lead & 7U) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4};
  if (lead >= 0xE0 && at + 2 < text.size()) return {(lead & 15U) << 12 | tail(1) << 6 | tail(2), 3};
  if (lead >= 0xC0 && at + 1 < text.size()) return {(lead & 31U) << 6 | tail(1), 2};
  return {lead, 1};
}

// Unicode's East Asian Width W and F, and zero-width marks, in the blocks that our texts and file names meet.
int width_of(std::uint32_t point) {
  if ((point >= 0x300 && point <= 0x36F) || (point >= 0x200B && point <= 0x200F) || (point >= 0xFE00 && point <= 0xFE0F)) return 0;
  const bool wide = (point >= 0x1100 && point <= 0x115F) || (point >= 0x2E80 && point <= 0x303E) ||
                    (point >= 0x3041 && point <= 0x33FF) || (point >= 0x3400 && point <= 0x4DBF) ||
                    (point >= 0x4E00 && point <= 0x9FFF) || (point >= 0xA000 && point <= 0xA4CF) ||
                    (point >= 0xAC00 && point <= 0xD7A3) || (point >= 0xF900 && point <= 0xFAFF) ||
                    (point >= 0xFE30 && point <= 0xFE4F) || (point >= 0xFF00 && point <= 0xFF60) ||
                    (point >= 0xFFE0 && point <= 0xFFE6) || (point >= 0x1F300 && point <= 0x1F64F) ||
                    (point >= 0x1F900 && point <= 0x1F9FF) || (point >= 0x20000 && point <= 0x3FFFD);
  return wide ? 2 : 1;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text, at);
    columns += static_cast<std::size_t>(width_of(character.point));
    at += character.length;
  }
  return columns;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line, word;
  std::size_t line_columns = 0;
  const auto flush_word = [&](bool blank_before) {
    if (word.empty()) return;
    const auto columns = columns_of(word);
    const std::size_t gap = blank_before && !line.empty() ? 1 : 0;
    if (!line.empty() && line_columns + gap + columns > width) {
      lines.push_back(line);
      line.clear();
      line_columns = 0;
    } else if (gap == 1) {
      line += ' ';
      ++line_columns;
    }
    line += word;
    line_columns += columns;
    word.clear();
  };
  bool blank = false, word_blank = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text, at);
    const auto part = text.substr(at, character.length);
    at += character.length;
    if (part == " " || part == "\n") {
      flush_word(word_blank);
      blank = true;
      continue;
    }
    if (width_of(character.point) == 2) {   // a line may break before and after a wide character
      flush_word(word_blank);
      word = part;
      flush_word(blank);
      blank = word_blank = false;
      continue;
    }
    if (word.empty()) word_blank = blank;
    word += part;
    blank = false;
  }
  flush_word(word_blank);
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace gpuway
