#include "think/formats/pep440.h"

#include <algorithm>

#include "base/text.h"

namespace gpuway {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); }
constexpr bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

BigNumber number_of(std::string_view digits) {
  const auto first = digits.find_first_not_of('0');
  return {first == std::string_view::npos ? "0" : std::string(digits.substr(first))};
}

/// Walks the lower-cased text from left to right; every step either takes its piece whole or leaves the place alone.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  std::size_t place() const { return at_; }

  bool take(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::optional<std::string_view> take_digits() {
    const auto start = at_;
    while (!done() && is_digit(text_[at_])) ++at_;
    if (at_ == start) return std::nullopt;
    return text_.substr(start, at_ - start);
  }

  std::optional<std::string_view> take_word_part() {
    const auto start = at_;
    while (!done() && is_word(text_[at_])) ++at_;
    if (at_ == start) return std::nullopt;
    return text_.substr(start, at_ - start);
  }

  bool take_separator() {
    if (done() || !is_separator(text_[at_])) return false;
    ++at_;
    return true;
  }

  /// `[._-]?word[._-]?digits?` for the first of `words` that fits; gives back the word and its number (0 without one).
  template <class Words>
  std::optional<std::pair<std::string_view, BigNumber>> take_labelled(const Words& words) {
    const auto start = at_;
    take_separator();
    for (const std::string_view word : words) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      take_separator();  // also when no number follows: "1.0a.dev1" has one, and the "dev1" needs none of its own
      const auto digits = take_digits();
      return std::pair(word, digits ? number_of(*digits) : BigNumber{});
    }
    at_ = start;
    return std::nullopt;
  }

  /// The short form of a post release: `-N`.
  std::optional<BigNumber> take_dash_number() {
    const auto start = at_;
    if (take('-')) {
      if (const auto digits = take_digits()) return number_of(*digits);
    }
    at_ = start;
    return std::nullopt;
  }

  /// `.N` of the release; a '.' that no digit follows belongs to what comes next.
  std::optional<BigNumber> take_dot_number() {
    const auto start = at_;
    if (take('.')) {
      if (const auto digits = take_digits()) return number_of(*digits);
    }
    at_ = start;
    return std::nullopt;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

Pep440Version::PreKind pre_kind(std::string_view word) {
  if (word.starts_with('a')) return Pep440Version::PreKind::alpha;
  if (word.starts_with('b')) return Pep440Version::PreKind::beta;
  return Pep440Version::PreKind::candidate;
}

int pre_rank(const Pep440Version& version) {
  // A version that is only a development release comes before the alpha of the same release.
  if (!version.pre) return version.dev && !version.post ? -1 : 3;
  return static_cast<int>(version.pre->kind);
}

std::strong_ordering compare_optional(const std::optional<BigNumber>& a, const std::optional<BigNumber>& b,
                                      bool none_first) {
  if (a && b) return *a <=> *b;
  if (!a && !b) return std::strong_ordering::equal;
  return a.has_value() == none_first ? std::strong_ordering::greater : std::strong_ordering::less;
}

std::strong_ordering compare_local(const std::vector<Pep440Version::LocalPart>& a,
                                   const std::vector<Pep440Version::LocalPart>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].is_number != b[i].is_number)
      return a[i].is_number ? std::strong_ordering::greater : std::strong_ordering::less;
    const auto order = a[i].is_number ? BigNumber{a[i].text} <=> BigNumber{b[i].text} : a[i].text <=> b[i].text;
    if (order != 0) return order;
  }
  return a.size() <=> b.size();
}

}  // namespace

std::strong_ordering BigNumber::operator<=>(const BigNumber& other) const {
  if (const auto order = digits.size() <=> other.digits.size(); order != 0) return order;
  return digits <=> other.digits;
}

Result<Pep440Version> parse_pep440(std::string_view text) {
  auto body = text;
  while (!body.empty() && is_space(body.front())) body.remove_prefix(1);
  while (!body.empty() && is_space(body.back())) body.remove_suffix(1);
  const auto lower = to_lower(body);
  Reader reader(lower);
  const auto malformed = [&](const char* expected) {
    return make_error(ErrorCode::malformed, "version \"" + std::string(text) + "\": expected " + expected +
                                                " at character " + std::to_string(reader.place() + 1));
  };
  Pep440Version version;
  reader.take('v');
  auto digits = reader.take_digits();
  if (!digits) return malformed("a number");
  if (reader.take('!')) {
    version.epoch = number_of(*digits);
    digits = reader.take_digits();
    if (!digits) return malformed("a number after the epoch");
  }
  version.release.push_back(number_of(*digits));
  while (auto number = reader.take_dot_number()) version.release.push_back(std::move(*number));

  // Longer words first: "alpha" before "a", "preview" before "pre".
  static constexpr std::string_view kPre[] = {"alpha", "a", "beta", "b", "preview", "pre", "c", "rc"};
  static constexpr std::string_view kPost[] = {"post", "rev", "r"};
  static constexpr std::string_view kDev[] = {"dev"};
  if (auto pre = reader.take_labelled(kPre)) version.pre = {pre_kind(pre->first), std::move(pre->second)};
  if (auto number = reader.take_dash_number()) {
    version.post = std::move(number);
  } else if (auto post = reader.take_labelled(kPost)) {
    version.post = std::move(post->second);
  }
  if (auto dev = reader.take_labelled(kDev)) version.dev = std::move(dev->second);
  if (reader.take('+')) {
    do {
      const auto part = reader.take_word_part();
      if (!part) return malformed("letters or digits of the local label");
      const bool number = std::all_of(part->begin(), part->end(), is_digit);
      version.local.push_back({number, number ? number_of(*part).digits : std::string(*part)});
    } while (reader.take_separator());
  }
  if (!reader.done()) return malformed("the end");
  return version;
}

std::string Pep440Version::text() const {
  std::string out;
  if (epoch.digits != "0") out += epoch.digits + "!";
  for (std::size_t i = 0; i < release.size(); ++i) out += (i == 0 ? "" : ".") + release[i].digits;
  if (pre) out += (pre->kind == PreKind::alpha ? "a" : pre->kind == PreKind::beta ? "b" : "rc") + pre->number.digits;
  if (post) out += ".post" + post->digits;
  if (dev) out += ".dev" + dev->digits;
  for (std::size_t i = 0; i < local.size(); ++i) out += (i == 0 ? "+" : ".") + local[i].text;
  return out;
}

std::strong_ordering compare_release(const Pep440Version& a, const Pep440Version& b) {
  if (const auto order = a.epoch <=> b.epoch; order != 0) return order;
  static const BigNumber kZero;
  for (std::size_t i = 0; i < std::max(a.release.size(), b.release.size()); ++i) {
    const auto& left = i < a.release.size() ? a.release[i] : kZero;
    const auto& right = i < b.release.size() ? b.release[i] : kZero;
    if (const auto order = left <=> right; order != 0) return order;
  }
  return std::strong_ordering::equal;
}

std::strong_ordering compare_public(const Pep440Version& a, const Pep440Version& b) {
  if (const auto order = compare_release(a, b); order != 0) return order;
  if (const auto order = pre_rank(a) <=> pre_rank(b); order != 0) return order;
  if (a.pre && b.pre) {
    if (const auto order = a.pre->number <=> b.pre->number; order != 0) return order;
  }
  if (const auto order = compare_optional(a.post, b.post, true); order != 0) return order;
  return compare_optional(a.dev, b.dev, false);
}

std::strong_ordering compare(const Pep440Version& a, const Pep440Version& b) {
  if (const auto order = compare_public(a, b); order != 0) return order;
  return compare_local(a.local, b.local);
}

}  // namespace gpuway
