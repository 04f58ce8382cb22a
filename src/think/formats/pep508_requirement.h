#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "think/formats/pep440_specifiers.h"
#include "think/formats/pep508_markers.h"

namespace gpuway {

/// One line of Requires-Dist: `name[extra] (>=1,<2) ; marker` or `name @ url ; marker`.
struct Requirement {
  std::string name;                 // as written; compare with normalized_name
  std::vector<std::string> extras;  // as written
  VersionSpecifiers specifiers;
  std::string url;  // of `name @ url`, else empty
  Marker marker;    // without steps when there is none
};

/// Reads a requirement. Fails with malformed, naming the text and the place.
Result<Requirement> parse_requirement(std::string_view text);

}  // namespace gpuway
