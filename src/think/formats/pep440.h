#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpuway {

/// A whole number of any size as its decimal digits without leading zeros. PEP 440 sets no upper limit (dates and
/// commit counts are common), so nothing here may overflow.
struct BigNumber {
  std::string digits = "0";

  std::strong_ordering operator<=>(const BigNumber& other) const;
  bool operator==(const BigNumber& other) const = default;
};

/// A Python package version as PEP 440 defines it, taken apart.
struct Pep440Version {
  enum class PreKind : unsigned char { alpha, beta, candidate };
  struct PreRelease {
    PreKind kind = PreKind::alpha;
    BigNumber number;
    bool operator==(const PreRelease&) const = default;
  };
  /// One part of the local label; text sorts before numbers.
  struct LocalPart {
    bool is_number = false;
    std::string text;  // lower case; a number without leading zeros
    bool operator==(const LocalPart&) const = default;
  };

  BigNumber epoch;
  std::vector<BigNumber> release;  // as written, trailing zeros included; never empty
  std::optional<PreRelease> pre;
  std::optional<BigNumber> post, dev;
  std::vector<LocalPart> local;

  bool is_prerelease() const { return pre.has_value() || dev.has_value(); }
  /// The normal form of PEP 440: `1.0-RC.1` is `1.0rc1`.
  std::string text() const;
};

/// Reads a version; ASCII white space around it is allowed. Fails with malformed, naming the text and the place.
Result<Pep440Version> parse_pep440(std::string_view text);

/// The order of PEP 440. Trailing zeros of the release do not count: 1.0 and 1.0.0 are equivalent.
std::strong_ordering compare(const Pep440Version& a, const Pep440Version& b);
/// The same without the local labels.
std::strong_ordering compare_public(const Pep440Version& a, const Pep440Version& b);
/// The order of epoch and release alone.
std::strong_ordering compare_release(const Pep440Version& a, const Pep440Version& b);

}  // namespace gpuway
