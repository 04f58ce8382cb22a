#include "say/messages/messages.h"

#include <algorithm>
#include <span>

#include "base/text.h"

namespace gpuway {
namespace {

struct WordText {
  std::string_view id, text;
};

struct Language {
  std::string_view name;
  std::span<const FindingText> findings;
  std::span<const CauseText> causes;
  std::span<const WordText> next_steps, phrases, questions, words;
};

#include "say/messages_data.inc"

// The text of an id in a list sorted by id; empty when it is not there.
std::string_view text_of(std::span<const WordText> words, std::string_view id) {
  const auto at = std::lower_bound(words.begin(), words.end(), id, [](const WordText& a, std::string_view b) { return a.id < b; });
  return at != words.end() && at->id == id ? at->text : std::string_view();
}

const Language& language_of(const void* table) { return *static_cast<const Language*>(table); }

}  // namespace

Messages::Messages(std::string_view language) : table_(&k_languages[0]) {
  for (const auto& known : k_languages) {
    if (known.name == "en") table_ = &known;
  }
  for (const auto& known : k_languages) {
    if (known.name == language) table_ = &known;
  }
}

std::vector<std::string> Messages::languages() {
  std::vector<std::string> names;
  for (const auto& known : k_languages) names.emplace_back(known.name);
  return names;
}

bool Messages::has_language(std::string_view language) {
  return std::any_of(std::begin(k_languages), std::end(k_languages), [&](const Language& l) { return l.name == language; });
}

const FindingText* Messages::finding(std::string_view id) const {
  const auto& findings = language_of(table_).findings;
  const auto at = std::lower_bound(findings.begin(), findings.end(), id, [](const FindingText& a, std::string_view b) { return a.id < b; });
  return at != findings.end() && at->id == id ? &*at : nullptr;
}

const CauseText* Messages::cause(std::string_view id) const {
  const auto& causes = language_of(table_).causes;
  const auto at = std::lower_bound(causes.begin(), causes.end(), id, [](const CauseText& a, std::string_view b) { return a.id < b; });
  return at != causes.end() && at->id == id ? &*at : nullptr;
}

std::string Messages::word(std::string_view id, const std::map<std::string, FindingValue>& args) const {
  const auto text = text_of(language_of(table_).words, id);
  return text.empty() ? std::string(id) : fill(text, args);
}

std::string Messages::next_step(std::string_view id) const { return std::string(text_of(language_of(table_).next_steps, id)); }

std::string Messages::question(std::string_view id) const { return std::string(text_of(language_of(table_).questions, id)); }

std::string Messages::phrase(const std::string& english) const {
  const auto text = text_of(language_of(table_).phrases, english);
  return text.empty() ? english : std::string(text);
}

std::string language_of_environment(const std::map<std::string, std::string>& variables, const std::string& system_language) {
  for (const auto* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.empty()) continue;
    const auto locale = to_lower(found->second);
    const auto dot = locale.find('.');
    const auto encoding = dot == std::string::npos ? std::string() : locale.substr(dot + 1, locale.find('@') - dot - 1);
    const bool readable = encoding.empty() || encoding == "utf-8" || encoding == "utf8";
    return locale.starts_with("zh") && readable ? "zh" : "en";
  }
  return to_lower(system_language).starts_with("zh") ? "zh" : "en";
}

std::string to_text(const FindingValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return join(std::get<std::vector<std::string>>(value), ", ");
}

std::string Messages::fill(std::string_view text, const std::map<std::string, FindingValue>& args) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) {
      out += text.substr(open);
      break;
    }
    const auto found = args.find(std::string(text.substr(open + 1, close - open - 1)));
    out += found != args.end() ? printable(to_text(found->second)) : std::string(text.substr(open, close - open + 1));
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace gpuway
