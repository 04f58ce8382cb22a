#include "think/formats/ld_so_conf.h"

#include <algorithm>

#include "base/text.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxEntries = 10'000;
constexpr std::string_view kBlanks = " \t\r\f\v";

// The keyword's arguments when the line begins with it.
std::string_view after_word(std::string_view line, std::string_view word) {
  if (!line.starts_with(word) || line.size() == word.size() || kBlanks.find(line[word.size()]) == std::string_view::npos) return {};
  return trim(line.substr(word.size()));
}

void add_patterns(std::string_view patterns, std::vector<LdSoConfEntry>& entries) {
  while (!patterns.empty()) {
    const auto end = std::min(patterns.find_first_of(kBlanks), patterns.size());
    if (end > 0 && entries.size() < kMaxEntries) entries.push_back({std::string(patterns.substr(0, end)), true});
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
}

}  // namespace

std::vector<LdSoConfEntry> parse_ld_so_conf(std::string_view text) {
  std::vector<LdSoConfEntry> entries;
  for (const auto whole : split_lines(text)) {
    const auto line = trim(whole.substr(0, whole.find('#')));
    if (line.empty() || !after_word(line, "hwcap").empty()) continue;
    if (const auto patterns = after_word(line, "include"); !patterns.empty()) {
      add_patterns(patterns, entries);
      continue;
    }
    auto folder = trim(line.substr(0, line.find('=')));
    while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
    if (folder.starts_with('/') && entries.size() < kMaxEntries) entries.push_back({std::string(folder), false});
  }
  return entries;
}

bool fits_pattern(std::string_view name, std::string_view pattern) {
  if (name.starts_with('.') && !pattern.starts_with('.')) return false;
  // Goes back to the last star only, so the time is bounded by the product of the two lengths.
  std::size_t n = 0, p = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace gpuway
