#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "think/formats/pep440.h"

namespace gpuway {

/// One condition on a version: `>=2.1`, `==2.1.*`, `===2.1+weird`.
struct VersionSpecifier {
  enum class Operator : unsigned char {
    compatible,
    equal,
    not_equal,
    less_equal,
    greater_equal,
    less,
    greater,
    identical
  };
  Operator op = Operator::equal;
  std::string written;    // what stands behind the operator
  Pep440Version version;  // without the ".*"; unset for `identical`, whose text need not be a version
  bool wildcard = false;  // `==2.1.*` and `!=2.1.*`

  std::string text() const;
};

/// Conditions that must all hold. An empty set admits every version.
struct VersionSpecifiers {
  std::vector<VersionSpecifier> all;
  std::string text() const;
};

/// Whether pre-releases may satisfy a condition that names none. An installed version is the only candidate, so it is
/// judged with `allowed`; a search for something to install prefers finals.
enum class Prereleases : unsigned char { allowed, excluded };

/// Reads one condition, white space around its parts allowed. Fails with malformed.
Result<VersionSpecifier> parse_specifier(std::string_view text);
/// Reads conditions joined by commas; empty ones between commas are skipped, as installers do. Fails with malformed.
Result<VersionSpecifiers> parse_specifiers(std::string_view text);

/// Whether `version` satisfies the conditions; a text that is no version satisfies only `===` and the empty set.
/// Follows `packaging` 26.4: local labels count only where the condition has one, `<V` leaves out the pre-releases of
/// V,
/// `>V` leaves out its post-releases.
bool admits(const VersionSpecifiers& specifiers, std::string_view version,
            Prereleases prereleases = Prereleases::allowed);
bool admits(const VersionSpecifier& specifier, std::string_view version,
            Prereleases prereleases = Prereleases::allowed);

}  // namespace gpuway
