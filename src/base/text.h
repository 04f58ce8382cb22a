#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gpuway {

/// Removes blanks, tabs, CR and LF at both ends.
std::string_view trim(std::string_view text);
/// Parts between `separator`; an empty text gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Lines without their ends (LF or CRLF); no empty last line after a final newline.
std::vector<std::string_view> split_lines(std::string_view text);
/// Views into a text that is gone when the statement ends are refused.
template <class Text>
  requires std::same_as<std::remove_cvref_t<Text>, std::string> && (!std::is_lvalue_reference_v<Text>)
std::vector<std::string_view> split(Text&& text, char separator) = delete;
template <class Text>
  requires std::same_as<std::remove_cvref_t<Text>, std::string> && (!std::is_lvalue_reference_v<Text>)
std::vector<std::string_view> split_lines(Text&& text) = delete;
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// ASCII letters to lower case; other bytes stay.
std::string to_lower(std::string_view text);
/// A decimal number that fills the whole text, or nothing.
std::optional<std::int64_t> to_integer(std::string_view text);
/// The text made safe to show: control characters, invalid UTF-8, terminal escapes and the marks that reorder or break
/// a line (U+2028, U+2029, U+202A..U+202E, U+2066..U+2069) become \xNN.
std::string printable(std::string_view text);
/// A JSON document whose strings hold no raw control characters and none of the marks above, so that it may be shown on
/// a terminal: those that JSON allows as they are (DEL, C1 and the marks) become \uNNNN. `json` is valid JSON.
std::string escape_json_controls(std::string_view json);
/// Whether the bytes are well-formed UTF-8.
bool is_utf8(std::string_view text);
/// Bytes as valid UTF-8 for JSON, without loss: a byte that is no part of well-formed UTF-8 becomes the private-use
/// character U+F700 + byte; from_json_text turns it back. So that nothing else is taken for one of these, the bytes of
/// the characters U+F780..U+F7FF themselves are written in the same way.
std::string to_json_text(std::string_view bytes);
std::string from_json_text(std::string_view text);

}  // namespace gpuway
