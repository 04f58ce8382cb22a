#include "think/explain/matcher.h"

#include <algorithm>
#include <cstring>

namespace gpuway {
namespace {

constexpr std::size_t kTail = 6;            // bytes at a literal's end that find it; tools/generate_signatures.cpp knows
constexpr std::size_t kHashBits = 16;
constexpr std::size_t kKept = 1024;         // bytes of the text so far that are kept; no literal is that long
constexpr std::size_t kMostLineEnds = 3;    // within one literal

// The last six bytes before `end` as one number.
std::uint64_t key_at(const char* end) {
  std::uint64_t key = 0;
  std::memcpy(&key, end - kTail, kTail);
  return key;
}

std::size_t hash_of(std::uint64_t key) { return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> (64 - kHashBits)); }

std::string without_blanks(std::string_view text) {
  std::string out(text);
  std::erase(out, ' ');
  return out;
}

}  // namespace

Matcher::Matcher(std::vector<std::string_view> literals) : literals_(std::move(literals)), filter_((std::size_t{1} << kHashBits) / 64) {
  for (std::size_t i = 0; i < literals_.size(); ++i) {
    const auto packed = without_blanks(literals_[i]);
    if (packed.size() < kTail) continue;
    tails_.push_back({key_at(packed.data() + packed.size()), static_cast<std::uint32_t>(i)});
  }
  std::sort(tails_.begin(), tails_.end(), [](const Tail& a, const Tail& b) { return std::pair(a.key, a.literal) < std::pair(b.key, b.literal); });
  for (const auto& tail : tails_) filter_[hash_of(tail.key) / 64] |= std::uint64_t{1} << (hash_of(tail.key) % 64);
}

// Whether `literal` ends with the byte `last` of the packed text. Where the literal has a blank the text may have one or
// a line end; where it has none, the text may have a line end.
bool Matcher::verify(std::string_view literal, std::size_t last, std::size_t& first) const {
  std::size_t at = last + 1, line_ends = 0;
  bool blank = false;
  for (std::size_t i = literal.size(); i-- > 0;) {
    if (literal[i] == ' ') {
      blank = true;
      continue;
    }
    if (at <= last) {
      const auto gap = gap_[at];
      if (gap == Gap::line_end && ++line_ends > kMostLineEnds) return false;
      if (blank ? gap == Gap::none : gap == Gap::blank) return false;
    }
    if (at == 0 || packed_[at - 1] != literal[i]) return false;
    --at;
    blank = false;
  }
  first = at;
  return true;
}

void Matcher::forget() {
  if (packed_.size() <= 2 * kKept) return;
  const auto gone = packed_.size() - kKept;
  const auto text_gone = place_[gone];
  packed_.erase(0, gone);
  text_.erase(0, text_gone);
  place_.erase(place_.begin(), place_.begin() + static_cast<std::ptrdiff_t>(gone));
  line_.erase(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(gone));
  gap_.erase(gap_.begin(), gap_.begin() + static_cast<std::ptrdiff_t>(gone));
  for (auto& place : place_) place -= text_gone;
}

void Matcher::add_line(std::size_t number, bool starts, std::string_view text, const Sink& sink) {
  forget();
  const auto begin = packed_.size();
  auto gap = starts ? Gap::line_end : Gap::none;
  if (starts && !text_.empty()) text_ += ' ';
  const auto offset = text_.size();
  text_ += text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') {
      if (gap == Gap::none) gap = Gap::blank;
      continue;
    }
    packed_ += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    place_.push_back(static_cast<std::uint32_t>(offset + i));
    line_.push_back(number);
    gap_.push_back(gap);
    gap = Gap::none;
  }
  for (std::size_t last = std::max(begin, kTail - 1); last < packed_.size(); ++last) {
    const auto key = key_at(packed_.data() + last + 1);
    const auto hash = hash_of(key);
    if ((filter_[hash / 64] >> (hash % 64) & 1) == 0) continue;
    auto tail = std::lower_bound(tails_.begin(), tails_.end(), key, [](const Tail& a, std::uint64_t b) { return a.key < b; });
    for (; tail != tails_.end() && tail->key == key; ++tail) {
      std::size_t first = 0;
      if (!verify(literals_[tail->literal], last, first)) continue;
      sink({tail->literal, line_[first], line_[last], place_[first], place_[last] + std::size_t{1}, text_});
    }
  }
}

}  // namespace gpuway
