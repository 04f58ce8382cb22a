#include "think/formats/pep440_specifiers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace gpuway {
namespace {

using Operator = VersionSpecifier::Operator;

struct OperatorText {
  std::string_view text;
  Operator op;
};
// Longer ones first, so that "===" is not read as "==".
constexpr std::array<OperatorText, 8> kOperators = {{{"===", Operator::identical},
                                                     {"~=", Operator::compatible},
                                                     {"==", Operator::equal},
                                                     {"!=", Operator::not_equal},
                                                     {"<=", Operator::less_equal},
                                                     {">=", Operator::greater_equal},
                                                     {"<", Operator::less},
                                                     {">", Operator::greater}}};

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view strip(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool same_prefix(const Pep440Version& version, const std::vector<BigNumber>& prefix, const BigNumber& epoch) {
  if (version.epoch != epoch) return false;
  static const BigNumber kZero;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    if ((i < version.release.size() ? version.release[i] : kZero) != prefix[i]) return false;
  }
  return true;
}

bool is_equal(const VersionSpecifier& specifier, const Pep440Version& version) {
  const auto& wanted = specifier.version;
  if (specifier.wildcard) return same_prefix(version, wanted.release, wanted.epoch);
  return wanted.local.empty() ? compare_public(version, wanted) == 0 : compare(version, wanted) == 0;
}

bool is_less(const Pep440Version& wanted, const Pep440Version& version) {
  if (wanted.is_prerelease()) return compare(version, wanted) < 0;
  // `<2.1` takes no pre-release of 2.1: everything must come before its first development release.
  auto first = wanted;
  first.dev = BigNumber{};
  return compare(version, first) < 0;
}

bool is_greater(const Pep440Version& wanted, const Pep440Version& version) {
  if (compare_public(version, wanted) <= 0) return false;
  if (wanted.dev || wanted.post) return true;
  // `>2.1` takes no post-release of 2.1.
  return compare_release(version, wanted) != 0 || version.pre != wanted.pre;
}

bool is_compatible(const Pep440Version& wanted, const Pep440Version& version) {
  auto prefix = wanted.release;
  prefix.pop_back();
  return compare(version, wanted) >= 0 && same_prefix(version, prefix, wanted.epoch);
}

bool holds(const VersionSpecifier& specifier, const Pep440Version& version) {
  const auto& wanted = specifier.version;
  switch (specifier.op) {
    case Operator::compatible: return is_compatible(wanted, version);
    case Operator::equal: return is_equal(specifier, version);
    case Operator::not_equal: return !is_equal(specifier, version);
    case Operator::less_equal: return compare_public(version, wanted) <= 0;
    case Operator::greater_equal: return compare(version, wanted) >= 0;
    case Operator::less: return is_less(wanted, version);
    case Operator::greater: return is_greater(wanted, version);
    case Operator::identical: return false;  // compared as text by the callers
  }
  return false;
}

bool admits_read(const VersionSpecifier& specifier, std::string_view text,
                 const std::optional<Pep440Version>& version) {
  if (specifier.op == Operator::identical) return to_lower(text) == to_lower(specifier.written);
  return version && holds(specifier, *version);
}

std::optional<Pep440Version> version_of(std::string_view text) {
  auto version = parse_pep440(text);
  if (!version) return std::nullopt;
  return version.take();
}

}  // namespace

std::string VersionSpecifier::text() const {
  const auto found =
      std::find_if(kOperators.begin(), kOperators.end(), [&](const OperatorText& known) { return known.op == op; });
  return std::string(found->text) + written;
}

std::string VersionSpecifiers::text() const {
  std::vector<std::string> parts;
  for (const auto& specifier : all) parts.push_back(specifier.text());
  return join(parts, ",");
}

Result<VersionSpecifier> parse_specifier(std::string_view text) {
  const auto malformed = [&](const std::string& why) {
    return make_error(ErrorCode::malformed, "specifier \"" + std::string(text) + "\": " + why);
  };
  const auto body = strip(text);
  const auto op = std::find_if(kOperators.begin(), kOperators.end(),
                               [&](const OperatorText& known) { return body.starts_with(known.text); });
  if (op == kOperators.end()) return malformed("expected one of === ~= == != <= >= < >");
  VersionSpecifier specifier;
  specifier.op = op->op;
  const auto written = strip(body.substr(op->text.size()));
  specifier.written = written;
  if (specifier.op == Operator::identical) {
    const bool bad =
        std::any_of(written.begin(), written.end(), [](char c) { return is_space(c) || c == ';' || c == ')'; });
    if (written.empty() || bad) return malformed("expected one word after ===");
    return specifier;
  }
  const bool equality = specifier.op == Operator::equal || specifier.op == Operator::not_equal;
  specifier.wildcard = equality && written.ends_with(".*");
  auto version = parse_pep440(specifier.wildcard ? written.substr(0, written.size() - 2) : written);
  if (!version) return malformed(version.error().detail);
  specifier.version = version.take();
  const auto& wanted = specifier.version;
  if (specifier.wildcard && (wanted.is_prerelease() || wanted.post || !wanted.local.empty())) {
    return malformed(".* stands only behind a plain release");
  }
  if (specifier.wildcard && is_space(written[written.size() - 3])) return malformed("white space before .*");
  if (!equality && !wanted.local.empty()) return malformed("a local label is compared only by == and !=");
  if (specifier.op == Operator::compatible && wanted.release.size() < 2)
    return malformed("~= needs at least two release numbers");
  return specifier;
}

Result<VersionSpecifiers> parse_specifiers(std::string_view text) {
  VersionSpecifiers specifiers;
  for (const auto part : split(text, ',')) {
    if (strip(part).empty()) continue;
    GPUWAY_TRY_ASSIGN(auto specifier, parse_specifier(part));
    specifiers.all.push_back(std::move(specifier));
  }
  return specifiers;
}

bool admits(const VersionSpecifiers& specifiers, std::string_view version, Prereleases prereleases) {
  const auto read = version_of(version);
  if (prereleases == Prereleases::excluded && read && read->is_prerelease()) return false;
  return std::all_of(specifiers.all.begin(), specifiers.all.end(),
                     [&](const VersionSpecifier& specifier) { return admits_read(specifier, version, read); });
}

bool admits(const VersionSpecifier& specifier, std::string_view version, Prereleases prereleases) {
  const auto read = version_of(version);
  if (prereleases == Prereleases::excluded && read && read->is_prerelease()) return false;
  return admits_read(specifier, version, read);
}

}  // namespace gpuway
