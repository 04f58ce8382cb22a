#include "think/explain/log_text.h"

#include <algorithm>
#include <array>

#include "base/utf16.h"

namespace gpuway {
namespace {

constexpr std::size_t kHeadBytes = 512;     // enough to tell an encoding by
constexpr std::size_t kLongestPart = 4096;  // longer lines are cut; what is matched is far shorter

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Bytes that a cleaned line holds as they are.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x21; c < 0x7F; ++c) plain[c] = c != '&' && c != '\\' && c != '[';
  return plain;
}();

struct Replacement {
  std::string_view from, to;
};

// Longest first where one begins like another. The characters are what web pages and word processors put into logs.
constexpr Replacement kEntities[] = {
    {"&nbsp;", " "}, {"&quot;", "\""}, {"&apos;", "'"}, {"&#x27;", "'"}, {"&#x22;", "\""}, {"&#39;", "'"},
    {"&#34;", "\""}, {"&amp;", "&"},   {"&lt;", "<"},   {"&gt;", ">"},
};
constexpr Replacement kCharacters[] = {
    {"\xE2\x80\x98", "'"}, {"\xE2\x80\x99", "'"},  {"\xE2\x80\x9C", "\""}, {"\xE2\x80\x9D", "\""}, {"\xC2\xA0", " "},
    {"\xE2\x80\x8B", ""},  {"\xEF\xBB\xBF", ""},   {"\xE2\x80\x90", "-"},  {"\xE2\x80\x91", "-"},  {"\xE2\x80\x93", "-"},
    {"\xE3\x80\x80", " "}, {"\xEF\xBC\x9A", ":"},
};

// How many bytes a terminal escape takes that begins at `at` of `text`: ESC itself, or one of the forms in which an
// escape survives copying (^[, \x1b, \u001b, \033). 0 when there is none.
std::size_t escape_length(std::string_view text) {
  std::size_t at = 0;
  if (text[0] == '\x1b') {
    at = 1;
  } else {
    for (const std::string_view form : {"^[", "\\x1b", "\\x1B", "\\u001b", "\\u001B", "\\033", "\\e"}) {
      if (text.starts_with(form) && text.size() > form.size() && text[form.size()] == '[') at = form.size();
    }
  }
  if (at == 0) return 0;
  if (at == text.size()) return at;
  if (text[at] == ']') {   // a title or link: up to BEL or ESC backslash
    for (std::size_t i = at; i < text.size(); ++i) {
      if (text[i] == '\a') return i + 1;
      if (text[i] == '\x1b') return std::min(i + 2, text.size());
    }
    return text.size();
  }
  if (text[at] != '[') return at + 1;
  for (++at; at < text.size(); ++at) {
    if (text[at] >= 0x40 && text[at] <= 0x7E) return at + 1;
  }
  return text.size();
}

// "[31m", "[0;1m", "[K": an escape whose first byte was lost.
std::size_t orphan_escape_length(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size() && (is_digit(text[at]) || text[at] == ';')) ++at;
  if (at < text.size() && text[at] == 'm' && at > 1 && at <= 12) return at + 1;
  return text.starts_with("[K") ? 2 : 0;
}

std::size_t digits(std::string_view text, std::size_t at) {
  const auto begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at - begin;
}

// "2024-05-01 12:00:00.123456: ", "2024-05-01T12:00:00Z ", "[2024-05-01 12:00:00,123] ".
std::size_t time_stamp_length(std::string_view text) {
  std::size_t at = text.starts_with("[") ? 1 : 0;
  if (digits(text, at) != 4 || at + 10 > text.size() || (text[at + 4] != '-' && text[at + 4] != '/')) return 0;
  at += 5;
  if (digits(text, at) != 2 || digits(text, at + 3) != 2) return 0;
  at += 5;
  if (at < text.size() && (text[at] == ' ' || text[at] == 'T') && digits(text, at + 1) == 2) {
    ++at;
    while (at < text.size() && (is_digit(text[at]) || text[at] == ':' || text[at] == '.' || text[at] == ',' || text[at] == '+')) ++at;
    if (at < text.size() && text[at] == 'Z') ++at;
  }
  while (at < text.size() && (text[at] == ':' || text[at] == ']' || text[at] == ' ')) ++at;
  return at;
}

// "[   12.345678] " of the kernel log.
std::size_t kernel_stamp_length(std::string_view text) {
  if (!text.starts_with("[")) return 0;
  std::size_t at = 1;
  while (at < text.size() && text[at] == ' ') ++at;
  const auto whole = digits(text, at);
  if (whole == 0 || at + whole >= text.size() || text[at + whole] != '.') return 0;
  at += whole + 1;
  const auto part = digits(text, at);
  at += part;
  return part == 6 && at < text.size() && text[at] == ']' ? at + 1 : 0;
}

// "web-1  | ", "ollama_1 | ": docker compose names the container before each line.
std::size_t container_name_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && at < 64 && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '-' || text[at] == '_' || text[at] == '.')) ++at;
  if (at < 3 || !is_digit(text[at - 1]) || text.substr(0, at).find_first_of("-_") == std::string_view::npos) return 0;
  while (at < text.size() && text[at] == ' ') ++at;
  return text.substr(at).starts_with("| ") ? at + 2 : 0;
}

// What stands before the message proper. What is left out here never stands between two halves of a wrapped line.
std::string_view without_prefix(std::string_view text) {
  for (int round = 0; round < 6; ++round) {
    while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    std::size_t length = 0;
    if (text.starts_with("> ") || text.starts_with(">>")) length = 1;
    if (length == 0) length = time_stamp_length(text);
    if (length == 0) length = kernel_stamp_length(text);
    if (length == 0) length = container_name_length(text);
    if (length == 0) return text;
    text.remove_prefix(length);
  }
  return text;
}

}  // namespace

void clean_log_line(std::string_view raw, std::string& clean) {
  clean.clear();
  const auto blank = [&] {
    if (!clean.empty() && clean.back() != ' ') clean += ' ';
  };
  for (std::size_t at = 0; at < raw.size();) {
    const auto from = at;
    while (at < raw.size() && kPlain[static_cast<unsigned char>(raw[at])]) ++at;
    clean.append(raw, from, at - from);
    if (at == raw.size()) break;
    const auto rest = raw.substr(at);
    const char c = raw[at];
    if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
      blank();
      ++at;
    } else if (const auto escape = c == '\x1b' || c == '\\' ? escape_length(rest) : 0; escape != 0) {
      at += escape;
    } else if (const auto orphan = c == '[' ? orphan_escape_length(rest) : 0; orphan != 0) {
      at += orphan;
    } else if (c == '\\') {
      // Both "C:\x" and "C:\\x", as Python prints it.
      if (clean.empty() || clean.back() != '/') clean += '/';
      ++at;
    } else if (c == '\b') {
      if (!clean.empty()) clean.pop_back();
      ++at;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      ++at;   // also the NULs of UTF-16 that was put between lines of another encoding
    } else {
      const Replacement* found = nullptr;
      if (c == '&') {
        for (const auto& entity : kEntities) {
          if (rest.starts_with(entity.from)) found = &entity;
        }
      } else if (static_cast<unsigned char>(c) >= 0xC2) {
        for (const auto& character : kCharacters) {
          if (rest.starts_with(character.from)) found = &character;
        }
      }
      if (found == nullptr) {
        clean += c;
        ++at;
      } else if (found->to == " ") {
        blank();
        at += found->from.size();
      } else {
        clean += found->to;
        at += found->from.size();
      }
    }
  }
  if (const auto message = without_prefix(clean); message.size() != clean.size()) clean.erase(0, clean.size() - message.size());
  while (!clean.empty() && clean.back() == ' ') clean.pop_back();
}

void LogText::add(std::string_view bytes) {
  if (encoding_ == Encoding::unknown) {
    head_ += bytes.substr(0, kHeadBytes);
    bytes.remove_prefix(std::min(bytes.size(), kHeadBytes));
    if (head_.size() < kHeadBytes) return;
    decide();
  }
  if (bytes.empty() || encoding_ == Encoding::binary) return;
  encoding_ == Encoding::bytes ? add_text(bytes) : add_utf16(bytes);
}

void LogText::decide() {
  std::array<std::size_t, 2> zeros{};
  std::size_t controls = 0;
  for (std::size_t i = 0; i < head_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(head_[i]);
    if (byte == 0) ++zeros[i % 2];
    if (byte < 0x20 && byte != 0 && byte != '\b' && byte != '\x1b' && (byte < '\t' || byte > '\r')) ++controls;
  }
  std::size_t skip = 0;
  if (head_.starts_with("\xFF\xFE")) {
    encoding_ = Encoding::utf16_little;
    skip = 2;
  } else if (head_.starts_with("\xFE\xFF")) {
    encoding_ = Encoding::utf16_big;
    skip = 2;
  } else if (zeros[1] * 5 > head_.size() && zeros[0] * 8 < zeros[1]) {
    encoding_ = Encoding::utf16_little;   // more than two characters of five are ASCII
  } else if (zeros[0] * 5 > head_.size() && zeros[1] * 8 < zeros[0]) {
    encoding_ = Encoding::utf16_big;
  } else if (controls * 16 > head_.size() || (zeros[0] + zeros[1]) * 5 > head_.size()) {
    encoding_ = Encoding::binary;
  } else {
    encoding_ = Encoding::bytes;
  }
  const auto head = std::move(head_);
  head_.clear();
  const auto rest = std::string_view(head).substr(skip);
  if (encoding_ == Encoding::bytes) add_text(rest);
  if (encoding_ == Encoding::utf16_little || encoding_ == Encoding::utf16_big) add_utf16(rest);
}

void LogText::add_utf16(std::string_view bytes) {
  std::u16string units;
  units.reserve(bytes.size() / 2 + 2);
  half_ += bytes;
  const auto whole = half_.size() / 2;
  const bool little = encoding_ == Encoding::utf16_little;
  for (std::size_t i = 0; i < whole; ++i) {
    const auto low = static_cast<unsigned char>(half_[2 * i + (little ? 0 : 1)]);
    const auto high = static_cast<unsigned char>(half_[2 * i + (little ? 1 : 0)]);
    units += static_cast<char16_t>(low | (high << 8));
  }
  // The first half of a pair waits for the second.
  const bool open = !units.empty() && units.back() >= 0xD800 && units.back() < 0xDC00;
  if (open) units.pop_back();
  half_.erase(0, 2 * (whole - (open ? 1 : 0)));
  add_text(utf8_from_utf16(units));
}

void LogText::add_text(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of("\r\n"), text.size());
    for (auto part = text.substr(0, end); !part.empty();) {
      const auto room = kLongestPart - line_.size();
      line_ += part.substr(0, room);
      part.remove_prefix(std::min(part.size(), room));
      in_line_ = true;
      if (line_.size() == kLongestPart) end_part();
    }
    if (end == text.size()) return;
    end_part();
    starts_ = true;   // also after a carriage return alone: a progress bar is drawn anew
    if (text[end] == '\n') {
      ++line_ends_;
      in_line_ = false;
    }
    text.remove_prefix(end + 1);
  }
}

void LogText::end_part() {
  if (line_.empty()) return;
  clean_log_line(line_, clean_);
  sink_({line_ends_ + 1, starts_, clean_});
  starts_ = false;
  line_.clear();
}

void LogText::finish() {
  if (encoding_ == Encoding::unknown) decide();
  if (encoding_ != Encoding::binary) end_part();
}

}  // namespace gpuway
