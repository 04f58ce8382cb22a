#include "think/explain/matcher.h"

#include <algorithm>
#include <cstring>

namespace gpuway {
namespace {

constexpr std::size_t kTail = 6;            // bytes at a literal's end that find it; tools/generate_signatures.cpp knows
constexpr std::size_t kHashBits = 16;
constexpr std::size_t kKept = 1024;         // bytes of the text so far that are kept; no literal is that long
constexpr std::size_t kMostKept = 64 * 1024;   // when more has come in, all but kKept is forgotten
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

const Matcher::Part& Matcher::part_of(std::size_t packed) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), packed, [](std::size_t a, const Part& b) { return a < b.packed; });
  return *(after - 1);
}

// Where a packed byte stands in text_.
std::size_t Matcher::place_of(std::size_t packed) const {
  const auto& part = part_of(packed);
  auto at = part.text;
  for (auto left = packed - part.packed;; ++at) {
    if (text_[at] == ' ') continue;
    if (left-- == 0) return at;
  }
}

void Matcher::forget() {
  if (packed_.size() <= kMostKept) return;
  // Whole parts go, so that each that stays begins where it did.
  const auto first = part_of(packed_.size() - kKept);
  packed_.erase(0, first.packed);
  text_.erase(0, first.text);
  gap_.erase(gap_.begin(), gap_.begin() + static_cast<std::ptrdiff_t>(first.packed));
  std::erase_if(parts_, [&](const Part& part) { return part.packed < first.packed; });
  for (auto& part : parts_) {
    part.packed -= first.packed;
    part.text -= first.text;
  }
}

void Matcher::add_line(std::size_t number, bool starts, std::string_view text, const Sink& sink) {
  forget();
  const auto begin = packed_.size();
  auto gap = starts ? Gap::line_end : Gap::none;
  if (starts && !text_.empty()) text_ += ' ';
  const auto offset = text_.size();
  text_ += text;
  packed_.resize(begin + text.size());
  gap_.resize(begin + text.size());
  auto end = begin;
  for (const char c : text) {
    if (c == ' ') {
      if (gap == Gap::none) gap = Gap::blank;
      continue;
    }
    packed_[end] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    gap_[end++] = gap;
    gap = Gap::none;
  }
  packed_.resize(end);
  gap_.resize(end);
  if (end > begin) parts_.push_back({begin, offset, number});
  for (std::size_t last = std::max(begin, kTail - 1); last < packed_.size(); ++last) {
    const auto key = key_at(packed_.data() + last + 1);
    const auto hash = hash_of(key);
    if ((filter_[hash / 64] >> (hash % 64) & 1) == 0) continue;
    auto tail = std::lower_bound(tails_.begin(), tails_.end(), key, [](const Tail& a, std::uint64_t b) { return a.key < b; });
    for (; tail != tails_.end() && tail->key == key; ++tail) {
      std::size_t first = 0;
      if (!verify(literals_[tail->literal], last, first)) continue;
      sink({tail->literal, part_of(first).line, part_of(last).line, place_of(first), place_of(last) + 1, text_});
    }
  }
}

}  // namespace gpuway
