#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gpuway {

/// Cuts the bytes of a log into lines that can be compared, whatever they went through: UTF-16 with or without a byte
/// order mark, terminal escapes, progress bars redrawn with carriage returns, HTML entities, typographic quotes, quote
/// marks, time stamps and container names before a line, Windows' path separators. Keeps one line at a time.
class LogText {
 public:
  /// A line, or a part of one: `number` counts line ends of the input from 1, `starts` is false for the second and
  /// later parts of a line that was cut because it is long.
  struct Line {
    std::size_t number = 0;
    bool starts = true;
    std::string_view text;   // letters as they are, every run of blanks one blank, / for each backslash
  };
  using Sink = std::function<void(const Line&)>;

  explicit LogText(Sink sink) : sink_(std::move(sink)) {}

  void add(std::string_view bytes);
  void finish();
  /// Line ends seen, and a last line without one.
  std::size_t lines() const { return line_ends_ + (in_line_ ? 1 : 0); }
  /// The input begins like no text does. Nothing of it reaches the sink.
  bool is_binary() const { return encoding_ == Encoding::binary; }

 private:
  enum class Encoding : std::uint8_t { unknown, bytes, utf16_little, utf16_big, binary };

  void decide();
  void add_utf16(std::string_view bytes);
  void add_text(std::string_view text);
  void end_part();

  Sink sink_;
  Encoding encoding_ = Encoding::unknown;
  std::string head_;        // until the encoding is known
  std::string half_;        // bytes of a UTF-16 character that is not complete
  std::string line_, clean_;
  std::size_t line_ends_ = 0;
  bool in_line_ = false, starts_ = true;
};

/// One line as LogText gives it to its sink.
void clean_log_line(std::string_view raw, std::string& clean);

}  // namespace gpuway
