#include "think/formats/wsl_output.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "think/formats/utf16.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxLines = 4096;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Two numbers or more with dots between them, then perhaps more after a hyphen: 2.6.3.0, 6.6.87.2-1.
bool is_release(std::string_view text) {
  const auto numbers = text.substr(0, text.find('-'));
  const auto dots = std::count(numbers.begin(), numbers.end(), '.');
  return !numbers.empty() && dots >= 1 && is_digit(numbers.front()) && is_digit(numbers.back()) &&
         numbers.find("..") == std::string_view::npos &&
         std::all_of(numbers.begin(), numbers.end(), [](char c) { return is_digit(c) || c == '.'; });
}

// What stands behind the last colon, which is a wide one (U+FF1A) in some languages.
std::string_view value_of(std::string_view line) {
  constexpr std::string_view wide = "\xEF\xBC\x9A";
  auto at = line.rfind(':');
  auto length = std::size_t{1};
  if (const auto other = line.rfind(wide);
      other != std::string_view::npos && (at == std::string_view::npos || other > at)) {
    at = other;
    length = wide.size();
  }
  return at == std::string_view::npos ? std::string_view() : trim(line.substr(at + length));
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const auto word : split(line, ' ')) {
    if (!trim(word).empty()) words.push_back(trim(word));
  }
  return words;
}

// A line of the list; nothing for the heading and for sentences.
std::optional<WslListLine> list_line(std::string_view line) {
  auto words = words_of(line);
  WslListLine out;
  if (!words.empty() && words.front() == "*") {
    out.is_default = true;
    words.erase(words.begin());
  }
  if (words.size() < 3 || (words.back() != "1" && words.back() != "2")) return std::nullopt;
  out.name = words.front();
  out.version = words.back() == "1" ? 1 : 2;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) out.state += (i == 1 ? "" : " ") + to_lower(words[i]);
  return out;
}

}  // namespace

Result<std::string> decode_wsl_output(std::string_view bytes) {
  constexpr std::string_view mark16 = "\xFF\xFE", mark8 = "\xEF\xBB\xBF";
  // Every message ends its lines, and a line end in UTF-16 has a zero byte; no text in UTF-8 has one.
  const bool wide = bytes.starts_with(mark16) || bytes.find('\0') != std::string_view::npos;
  if (!wide) {
    if (!is_utf8(bytes)) return make_error(ErrorCode::malformed, "output of wsl.exe: neither UTF-16 nor UTF-8");
    return std::string(bytes.starts_with(mark8) ? bytes.substr(mark8.size()) : bytes);
  }
  if (bytes.size() % 2 != 0)
    return make_error(ErrorCode::malformed, "output of wsl.exe: UTF-16 of " + std::to_string(bytes.size()) + " bytes");
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    if (bytes[i] == '\0' && bytes[i + 1] == '\0')
      return make_error(ErrorCode::malformed, "output of wsl.exe: a zero character at byte " + std::to_string(i));
  }
  auto text = utf16le_to_utf8(bytes);
  // What was no UTF-16 gives surrogates without a partner, as the replacement character.
  if (text.find("\xEF\xBF\xBD") != std::string::npos)
    return make_error(ErrorCode::malformed, "output of wsl.exe: broken UTF-16");
  return text;
}

Result<WslVersion> parse_wsl_version(std::string_view text) {
  std::vector<std::string_view> values;
  for (const auto line : split_lines(text)) {
    if (trim(line).empty()) continue;
    if (values.size() == kMaxLines) break;
    values.push_back(value_of(line));
  }
  if (values.size() < 2)
    return make_error(ErrorCode::malformed,
                      "wsl.exe --version: " + std::to_string(values.size()) + " lines, expected 7");
  for (std::size_t i = 0; i < 2; ++i) {
    if (values[i].empty() || !is_release(values[i]))
      return make_error(ErrorCode::malformed, "wsl.exe --version: line " + std::to_string(i + 1) + " has no release");
  }
  WslVersion out;
  out.wsl = values[0];
  out.kernel = values[1];
  if (values.size() >= 7 && !values[6].empty() && is_release(values[6])) out.windows = values[6];
  return out;
}

Result<std::vector<WslListLine>> parse_wsl_list(std::string_view text) {
  std::vector<WslListLine> out;
  std::size_t number = 0;
  bool heading = true;
  for (const auto line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    if (heading) {  // in Windows' language in old programs, so that nothing of it can be compared
      heading = false;
      continue;
    }
    auto row = list_line(line);
    if (!row)
      return make_error(ErrorCode::malformed,
                        "wsl.exe --list: line " + std::to_string(number) + " names no distribution");
    if (out.size() == kMaxLines)
      return make_error(ErrorCode::too_large, "wsl.exe --list: more than " + std::to_string(kMaxLines) + " lines");
    out.push_back(std::move(*row));
  }
  return out;
}

WslStatus parse_wsl_status(std::string_view text) {
  WslStatus out;
  out.asks_for_virtualization = text.find("aka.ms/enablevirtualization") != std::string_view::npos;
  out.asks_for_kernel = text.find("aka.ms/wsl2kernel") != std::string_view::npos;
  for (const auto line : split_lines(text)) {
    const auto value = value_of(line);
    // "Default version: 2" has no dot; "Kernel version: 5.10.16" has.
    if (out.kernel.empty() && !value.empty() && is_release(value)) out.kernel = value;
  }
  return out;
}

std::string wsl_fault_in(std::string_view text) {
  for (const auto line : split_lines(text)) {
    const auto at = line.find("Wsl/");
    if (at == std::string_view::npos) continue;
    const auto code = line.substr(at);
    const auto end = std::find_if(code.begin(), code.end(), [](char c) {
      return !(is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '_');
    });
    std::string found(code.begin(), end);
    while (found.ends_with('/')) found.pop_back();
    if (found.size() > 4 && found.size() <= 200) return found;
  }
  return text.find("aka.ms/wslinstall") != std::string_view::npos ? "not-installed" : "";
}

}  // namespace gpuway
