#include "think/formats/pep508_requirement.h"

#include <algorithm>

#include "think/formats/pep508_cursor.h"

namespace gpuway {
namespace {

Status read_extras(Pep508Cursor& cursor, Requirement& requirement) {
  if (!cursor.take("[")) return Done{};
  cursor.take_blanks();
  if (auto extra = cursor.take_identifier()) {
    requirement.extras.emplace_back(*extra);
    cursor.take_blanks();
    while (cursor.take(",")) {
      cursor.take_blanks();
      extra = cursor.take_identifier();
      if (!extra) return cursor.malformed("an extra after the comma");
      requirement.extras.emplace_back(*extra);
      cursor.take_blanks();
    }
  }
  if (!cursor.take("]")) return cursor.malformed("]");
  cursor.take_blanks();
  return Done{};
}

// The conditions reach up to the marker, the closing parenthesis or the end. Unlike a bare list of conditions, no empty
// one may stand between commas; a trailing comma is accepted.
Status read_specifiers(Pep508Cursor& cursor, Requirement& requirement) {
  const auto length = std::min(cursor.rest().find_first_of(";)"), cursor.rest().size());
  auto part = cursor.rest().substr(0, length);
  const bool blank = part.find_first_not_of(" \t") == std::string_view::npos;
  while (!blank) {
    const auto comma = part.find(',');
    auto specifier = parse_specifier(part.substr(0, comma));
    if (!specifier) return cursor.malformed("a version condition (" + specifier.error().detail + ")");
    requirement.specifiers.all.push_back(specifier.take());
    if (comma == std::string_view::npos) break;
    part.remove_prefix(comma + 1);
    if (part.find_first_not_of(" \t") == std::string_view::npos) break;
  }
  cursor.skip(length);
  return Done{};
}

Status read_url(Pep508Cursor& cursor, Requirement& requirement) {
  cursor.take_blanks();
  const auto rest = cursor.rest();
  const auto length = std::min(rest.find_first_of(" \t\n\v\f\r"), rest.size());
  if (length == 0) return cursor.malformed("a URL");
  requirement.url = rest.substr(0, length);
  cursor.skip(length);
  if (!cursor.done() && !cursor.take_blanks()) return cursor.malformed("a blank after the URL");
  return Done{};
}

}  // namespace

Result<Requirement> parse_requirement(std::string_view text) {
  Pep508Cursor cursor(text);
  Requirement requirement;
  cursor.take_blanks();
  const auto name = cursor.take_identifier();
  if (!name) return cursor.malformed("a package name");
  requirement.name = *name;
  cursor.take_blanks();
  GPUWAY_TRY(read_extras(cursor, requirement));
  if (cursor.take("@")) {
    GPUWAY_TRY(read_url(cursor, requirement));
  } else {
    const bool parenthesis = cursor.take("(");
    GPUWAY_TRY(read_specifiers(cursor, requirement));
    if (parenthesis && !cursor.take(")")) return cursor.malformed(")");
    cursor.take_blanks();
  }
  if (cursor.done()) return requirement;
  if (!cursor.take(";")) return cursor.malformed("; or the end");
  GPUWAY_TRY_ASSIGN(requirement.marker, read_marker(cursor));
  if (!cursor.done()) return cursor.malformed("the end of the requirement");
  return requirement;
}

}  // namespace gpuway
