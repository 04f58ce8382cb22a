#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "think/formats/pep508_markers.h"

namespace gpuway {

/// Walks a PEP 508 text; shared by the marker and the requirement reader.
class Pep508Cursor {
 public:
  explicit Pep508Cursor(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  bool done() const { return at_ == text_.size(); }
  std::size_t place() const { return at_; }
  std::string_view rest() const { return text_.substr(at_); }
  void skip(std::size_t count) { at_ += count; }
  /// Blanks and tabs; line ends are no white space here.
  bool take_blanks();
  bool take(std::string_view exact);
  /// A whole word: no letter, digit or '_' may follow it or come before it.
  bool take_word(std::string_view word);
  /// A name of PEP 508: begins with a letter or digit and ends with one or with '_'.
  std::optional<std::string_view> take_identifier();

  Error malformed(const std::string& expected) const;

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Reads one marker expression from the cursor and stops behind it.
Result<Marker> read_marker(Pep508Cursor& cursor);

}  // namespace gpuway
