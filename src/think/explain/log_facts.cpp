#include "think/explain/log_facts.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace gpuway {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.' || c == '+';
}

std::size_t digits(std::string_view text, std::size_t at) {
  const auto begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at - begin;
}

// The name of a library that `text` is, without what a sentence put after it; empty for anything else.
std::string library_name(std::string_view text) {
  const auto lower = to_lower(text);
  if (const auto dll = lower.find(".dll"); dll != std::string::npos && dll > 0) return lower.substr(0, dll + 4);
  const auto so = lower.find(".so");
  if (so == std::string::npos || so == 0 || (so + 3 < lower.size() && lower[so + 3] != '.')) return {};
  auto end = so + 3;
  while (end < lower.size() && (is_digit(lower[end]) || (lower[end] == '.' && end + 1 < lower.size() && is_digit(lower[end + 1])))) ++end;
  return lower.substr(0, end);
}

std::vector<int> numbers_of(std::string_view version) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at < version.size();) {
    const auto length = digits(version, at);
    if (length == 0 || length > 6) break;
    numbers.push_back(static_cast<int>(to_integer(version.substr(at, length)).value_or(0)));
    at += length;
    if (at >= version.size() || version[at] != '.') break;
    ++at;
  }
  return numbers;
}

// "11.0" of cudart64_110.dll and libcudart.so.11.0, "12" of cublas64_12.dll: the libraries whose number is CUDA's own.
std::string cuda_of_library(const std::string& name) {
  const auto bare = name.starts_with("lib") ? name.substr(3) : name;
  if (!bare.starts_with("cudart") && !bare.starts_with("cublas") && !bare.starts_with("nvrtc")) return {};
  if (const auto so = bare.find(".so."); so != std::string::npos) return bare.substr(so + 4);
  const auto mark = bare.find("64_");
  if (mark == std::string::npos) return {};
  const auto number = bare.substr(mark + 3, digits(bare, mark + 3));
  if (number.size() == 3) return number.substr(0, 2) + "." + number.substr(2);
  if (number.size() == 2 && number[0] > '1') return number.substr(0, 1) + "." + number.substr(1);   // 92: 9.2
  return number;
}

}  // namespace

std::string version_in(std::string_view after) {
  std::size_t at = 0;
  while (at < after.size() && at < 12 && std::string_view(" :=\"'(v-/_\n*~>").find(after[at]) != std::string_view::npos) ++at;
  const auto begin = at;
  while (at < after.size() && (is_digit(after[at]) || (after[at] == '.' && at > begin && at + 1 < after.size() && is_digit(after[at + 1])))) ++at;
  return at - begin > 24 ? std::string() : std::string(after.substr(begin, at - begin));
}

std::string python_in(std::string_view after) {
  const auto version = version_in(after);
  if (version.starts_with("3.") && version.size() >= 3) return version;
  if (version.size() >= 2 && version.size() <= 3 && version[0] == '3' && version.find('.') == std::string::npos)
    return "3." + version.substr(1);   // python312, cp39
  return {};
}

std::string library_in(std::string_view before, std::string_view after) {
  for (std::size_t at = 0; at < after.size();) {
    if (!is_name(after[at])) {
      ++at;
      continue;
    }
    std::string word;
    for (; at < after.size(); ++at) {
      if (is_name(after[at])) {
        word += after[at];
      } else if (after[at] != '\n' || !library_name(word).empty()) {
        break;   // a name that is complete ends at a line end, one that is not goes on behind it
      }
    }
    if (auto name = library_name(word); !name.empty()) return name;
  }
  for (auto end = before.size(); end > 0;) {
    if (!is_name(before[end - 1])) {
      --end;
      continue;
    }
    auto begin = end;
    while (begin > 0 && is_name(before[begin - 1])) --begin;
    if (auto name = library_name(before.substr(begin, end - begin)); !name.empty()) return name;
    end = begin;
  }
  return {};
}

std::string foreign_path_in(std::string_view after) {
  const auto path = after.substr(0, after.find_first_of("\"'\n:;|<>"));
  // What follows a blank is a sentence as often as the rest of a folder's name.
  const auto folder = path.substr(0, path.find(' '));
  const bool foreign = std::any_of(folder.begin(), folder.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80 || c == '['; });
  return foreign ? std::string(folder) : std::string();
}

void LogFacts::add(const std::string& id, std::string value, std::size_t line) {
  if (value.empty()) return;
  // Both "sm_86" and "8.6" are in use.
  if (id == "compute-capability" && value.find('.') == std::string::npos && value.size() >= 2) value.insert(value.size() - 1, ".");
  ++counts_[id];
  facts_.emplace(id, LogFact{std::move(value), line});
}

void LogFacts::add_missing_library(const std::string& name, std::size_t line) { add("wanted-cuda", cuda_of_library(name), line); }

std::map<std::string, LogFact> LogFacts::finish() const {
  auto facts = facts_;
  const auto count = [&](const char* id) {
    const auto found = counts_.find(id);
    return found == counts_.end() ? std::size_t{0} : found->second;
  };
  const auto set = [&](const char* word, const char* from) { facts["system"] = {word, facts.at(from).line}; };
  if (count("macos-sign") > 0 && count("windows-sign") + count("linux-sign") == 0) set("macos", "macos-sign");
  if (count("linux-sign") > 0) set("linux", "linux-sign");
  // A Linux path in a Windows log is a build path of the wheel more often than the other way round.
  if (count("windows-sign") > 0 && count("windows-sign") * 2 >= count("linux-sign")) set("windows", "windows-sign");
  if (count("wsl-sign") > 0) set("wsl", "wsl-sign");
  for (const auto* sign : {"macos-sign", "linux-sign", "windows-sign", "wsl-sign"}) facts.erase(sign);
  return facts;
}

bool holds(std::string_view condition, const std::map<std::string, LogFact>& facts) {
  const bool absent = condition.starts_with("-");
  if (absent) condition.remove_prefix(1);
  const auto mark = condition.find_first_of("<>=!");
  const auto found = facts.find(std::string(condition.substr(0, mark)));
  if (mark == std::string_view::npos) return absent != (found != facts.end());
  auto end = mark;
  while (end < condition.size() && std::string_view("<>=!~").find(condition[end]) != std::string_view::npos) ++end;
  const auto operation = condition.substr(mark, end - mark);
  auto want = std::string(condition.substr(end));
  if (want.starts_with("@")) {
    const auto other = facts.find(want.substr(1));
    if (other == facts.end()) return false;
    want = other->second.value;
  }
  if (found == facts.end()) return operation == "!=";
  const auto& have = found->second.value;
  if (operation == "=") return have == want;
  if (operation == "!=") return have != want;
  const auto a = numbers_of(have), b = numbers_of(want);
  if (a.empty() || b.empty()) return false;
  if (operation == "!~") return a[0] != b[0];
  if (operation == "<") return a < b;
  if (operation == "<=") return a <= b;
  if (operation == ">") return a > b;
  return operation == ">=" && a >= b;
}

}  // namespace gpuway
