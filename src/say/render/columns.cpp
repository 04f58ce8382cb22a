#include "say/render/columns.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

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

// Marks that must not begin a line, and those that must not end one.
bool is_closing(std::uint32_t point) {
  constexpr std::uint32_t marks[] = {0x3001, 0x3002, 0x300D, 0x300F, 0xFF01, 0xFF09, 0xFF0C, 0xFF1A, 0xFF1B, 0xFF1F};
  return std::find(std::begin(marks), std::end(marks), point) != std::end(marks);
}
bool is_opening(std::uint32_t point) { return point == 0xFF08 || point == 0x300C || point == 0x300E; }

// Fills lines with pieces that stay whole: words between blanks, and wide characters with the marks that belong to them.
class Wrapper {
 public:
  Wrapper(std::size_t width, std::size_t first_width) : width_(width), limit_(first_width) {}

  void add(std::string_view part, std::uint32_t point) {
    if (part == " " || part == "\n") {
      flush();
      blank_ = true;
      return;
    }
    const bool wide = width_of(point) == 2;
    const bool stays = piece_.empty() || opened_ || is_closing(point) || (!wide && !wide_);
    if (!stays) flush();
    piece_ += part;
    wide_ = wide;
    opened_ = is_opening(point);
  }

  std::vector<std::string> finish() {
    flush();
    if (!line_.empty()) lines_.push_back(line_);
    return std::move(lines_);
  }

 private:
  void flush() {
    if (piece_.empty()) return;
    const auto columns = columns_of(piece_);
    const std::size_t gap = blank_ && !line_.empty() ? 1 : 0;
    const bool starts = line_.empty() && (!lines_.empty() || limit_ >= width_);   // no line gives it more room
    if (!starts && used_ + gap + columns > limit_) {
      lines_.push_back(line_);
      line_.clear();
      used_ = 0;
      limit_ = width_;
    } else if (gap == 1) {
      line_ += ' ';
      ++used_;
    }
    line_ += piece_;
    used_ += columns;
    piece_.clear();
    blank_ = opened_ = false;
  }

  std::size_t width_, limit_, used_ = 0;
  std::vector<std::string> lines_;
  std::string line_, piece_;
  bool blank_ = false;    // a blank stands before the piece
  bool wide_ = false;     // the piece ends in a wide character, after which a line may break
  bool opened_ = false;   // it ends in an opening mark, after which none may
};

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

std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t first_width) {
  Wrapper wrapper(width, first_width);
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text, at);
    wrapper.add(text.substr(at, character.length), character.point);
    at += character.length;
  }
  return wrapper.finish();
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) { return wrap(text, width, width); }

}  // namespace gpuway
