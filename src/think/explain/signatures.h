#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gpuway {

/// A part of one of the tables below.
struct Slice {
  std::uint32_t first = 0, count = 0;
};

/// A text that is searched for, as the matcher compares it, and the rows that use it: signatures by their index, facts
/// by the number of signatures plus theirs.
struct LiteralRow {
  std::string_view text;
  Slice users;
};

/// What a program prints, of data/tables/signatures.toml. Lists are joined with "|".
struct SignatureRow {
  std::string_view id;
  Slice all, any, unless;      // indexes of literals: all of these, one of these, none of these anywhere in the text
  std::uint32_t near = 0;      // within so many lines of each other
  std::string_view when;       // conditions on the facts: "system=windows|tensorflow>=2.11"
  std::string_view library;    // beginnings of the library's name that stands beside the literal
  std::string_view proves, suggests;   // "cause weight|..."
  std::string_view explains;   // causes whose evidence this one accounts for
  bool harmless = false;
};

/// What a literal says about the machine.
struct FactRow {
  std::string_view id, capture, value;
};

/// A command that tells causes apart.
struct QuestionRow {
  std::string_view id, causes, linux_command, windows_command;
};

std::span<const LiteralRow> literal_rows();
std::span<const SignatureRow> signature_rows();
std::span<const FactRow> fact_rows();
std::span<const QuestionRow> question_rows();
std::span<const std::uint16_t> rows_using(const LiteralRow& literal);
std::span<const std::uint16_t> literals_of(Slice slice);

}  // namespace gpuway
