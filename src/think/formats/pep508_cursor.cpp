#include "think/formats/pep508_cursor.h"

#include <algorithm>

#include "base/text.h"
#include "think/formats/python_files.h"

namespace gpuway {
namespace {

constexpr int kMaxNesting = 200;
constexpr std::size_t kMaxComparisons = 10'000;

constexpr bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_word_character(char c) { return is_letter_or_digit(c) || c == '_'; }

struct VariableName {
  std::string_view written, name;
};
// The dotted and the short spellings are those of setuptools before the specification.
constexpr VariableName kVariables[] = {
    {"python_full_version", "python_full_version"},
    {"python_version", "python_version"},
    {"os_name", "os_name"},
    {"os.name", "os_name"},
    {"sys_platform", "sys_platform"},
    {"sys.platform", "sys_platform"},
    {"platform_release", "platform_release"},
    {"platform_system", "platform_system"},
    {"platform_version", "platform_version"},
    {"platform.version", "platform_version"},
    {"platform_machine", "platform_machine"},
    {"platform.machine", "platform_machine"},
    {"platform_python_implementation", "platform_python_implementation"},
    {"platform.python_implementation", "platform_python_implementation"},
    {"python_implementation", "platform_python_implementation"},
    {"implementation_name", "implementation_name"},
    {"implementation_version", "implementation_version"},
    {"extras", "extras"},
    {"extra", "extra"},
    {"dependency_groups", "dependency_groups"},
};

class MarkerReader {
 public:
  explicit MarkerReader(Pep508Cursor& cursor) : cursor_(cursor) {}

  Result<Marker> read() {
    GPUWAY_TRY(read_either(0));
    return std::move(marker_);
  }

 private:
  // "and" binds closer than "or"; both are collected from left to right.
  Status read_either(int depth) {
    GPUWAY_TRY(read_both(depth));
    while (cursor_.take_word("or")) {
      GPUWAY_TRY(read_both(depth));
      marker_.steps.push_back({Marker::Step::Kind::either, 0});
    }
    return Done{};
  }

  Status read_both(int depth) {
    GPUWAY_TRY(read_atom(depth));
    while (cursor_.take_word("and")) {
      GPUWAY_TRY(read_atom(depth));
      marker_.steps.push_back({Marker::Step::Kind::both, 0});
    }
    return Done{};
  }

  Status read_atom(int depth) {
    cursor_.take_blanks();
    if (cursor_.take("(")) {
      if (depth >= kMaxNesting)
        return cursor_.malformed("at most " + std::to_string(kMaxNesting) + " nested parentheses");
      GPUWAY_TRY(read_either(depth + 1));
      if (!cursor_.take(")")) return cursor_.malformed(")");
    } else {
      GPUWAY_TRY(read_comparison());
    }
    cursor_.take_blanks();
    return Done{};
  }

  Status read_comparison() {
    if (marker_.comparisons.size() >= kMaxComparisons) {
      return cursor_.malformed("at most " + std::to_string(kMaxComparisons) + " comparisons");
    }
    Marker::Comparison comparison;
    GPUWAY_TRY_ASSIGN(comparison.left, read_operand());
    cursor_.take_blanks();
    GPUWAY_TRY_ASSIGN(comparison.op, read_operator());
    cursor_.take_blanks();
    GPUWAY_TRY_ASSIGN(comparison.right, read_operand());
    normalize_extra(comparison.left, comparison.right);
    normalize_extra(comparison.right, comparison.left);
    marker_.steps.push_back({Marker::Step::Kind::compare, marker_.comparisons.size()});
    marker_.comparisons.push_back(std::move(comparison));
    return Done{};
  }

  static void normalize_extra(const Marker::Operand& variable, Marker::Operand& value) {
    if (variable.is_variable && variable.text == "extra" && !value.is_variable)
      value.text = normalized_name(value.text);
  }

  Result<Marker::Operand> read_operand() {
    for (const auto& variable : kVariables) {
      if (cursor_.take_word(variable.written)) return Marker::Operand{true, std::string(variable.name)};
    }
    const auto rest = cursor_.rest();
    if (!rest.empty() && (rest.front() == '"' || rest.front() == '\'')) {
      const auto end = rest.find(rest.front(), 1);
      if (end == std::string_view::npos) return cursor_.malformed("the closing quote");
      const auto inside = rest.substr(1, end - 1);
      if (inside.find_first_of("\\\n\r") != std::string_view::npos || inside.find('\0') != std::string_view::npos) {
        return cursor_.malformed("a string without backslash, line end and NUL");
      }
      cursor_.skip(end + 1);
      return Marker::Operand{false, std::string(inside)};
    }
    return cursor_.malformed("a marker variable or a quoted string");
  }

  Result<std::string> read_operator() {
    if (cursor_.take_word("in")) return std::string("in");
    if (cursor_.take_word("not")) {
      if (!cursor_.take_blanks() || !cursor_.take_word("in")) return cursor_.malformed("\"in\" after \"not\"");
      return std::string("not in");
    }
    for (const auto* op : {"===", "==", "~=", "!=", "<=", ">=", "<", ">"}) {
      if (cursor_.take(op)) return std::string(op);
    }
    return cursor_.malformed("an operator");
  }

  Pep508Cursor& cursor_;
  Marker marker_;
};

}  // namespace

bool Pep508Cursor::take_blanks() {
  const auto start = at_;
  while (!done() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  return at_ != start;
}

bool Pep508Cursor::take(std::string_view exact) {
  if (!rest().starts_with(exact)) return false;
  at_ += exact.size();
  return true;
}

bool Pep508Cursor::take_word(std::string_view word) {
  if (!rest().starts_with(word)) return false;
  const auto end = at_ + word.size();
  if (end < text_.size() && is_word_character(text_[end])) return false;
  if (at_ > 0 && is_word_character(text_[at_ - 1])) return false;
  at_ = end;
  return true;
}

std::optional<std::string_view> Pep508Cursor::take_identifier() {
  if (done() || !is_letter_or_digit(text_[at_])) return std::nullopt;
  auto end = at_;
  while (end < text_.size() && (is_word_character(text_[end]) || text_[end] == '.' || text_[end] == '-')) ++end;
  while (!is_word_character(text_[end - 1])) --end;
  const auto name = text_.substr(at_, end - at_);
  at_ = end;
  return name;
}

Error Pep508Cursor::malformed(const std::string& expected) const {
  return make_error(ErrorCode::malformed, "\"" + std::string(text_) + "\": expected " + expected + " at character " +
                                              std::to_string(at_ + 1));
}

Result<Marker> read_marker(Pep508Cursor& cursor) { return MarkerReader(cursor).read(); }

Result<Marker> parse_marker(std::string_view text) {
  Pep508Cursor cursor(text);
  GPUWAY_TRY_ASSIGN(auto marker, read_marker(cursor));
  if (!cursor.done()) return cursor.malformed("the end of the marker");
  return marker;
}

}  // namespace gpuway
