#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "think/model/answer.h"

namespace gpuway {

/// The texts of one language, generated from data/messages/. Placeholders are {name}.
struct FindingText {
  std::string_view id, title, note;
};

/// What `explain` says of a cause, of which it knows no more than its id: what is wrong, and what to do.
struct CauseText {
  std::string_view id, title, step;
};

class Messages {
 public:
  /// Texts of a language ("en", "zh"); English when there is none of that name.
  explicit Messages(std::string_view language);

  /// Languages that exist.
  static std::vector<std::string> languages();
  static bool has_language(std::string_view language);

  /// The texts of a finding; nullptr for an id without texts, which is then shown by its id and arguments.
  const FindingText* finding(std::string_view id) const;
  /// The texts of a cause; nullptr for an id without texts.
  const CauseText* cause(std::string_view id) const;
  /// What a next step does, in one sentence; empty for an id without text.
  std::string next_step(std::string_view id) const;
  /// What a command that decides between causes shows; empty for an id without text.
  std::string question(std::string_view id) const;
  /// What was seen somewhere, which findings carry in English, in this language; as it is when it has no translation.
  std::string phrase(const std::string& english) const;
  /// A word or short sentence of the frame; the id itself when there is none.
  std::string word(std::string_view id, const std::map<std::string, FindingValue>& args = {}) const;
  /// A template with its {names} replaced; an argument that is missing stays visible as {name}.
  static std::string fill(std::string_view text, const std::map<std::string, FindingValue>& args);

 private:
  const void* table_ = nullptr;
};

/// The language that the environment asks for: the first of LC_ALL, LC_MESSAGES and LANG that is set decides. Chinese for
/// zh*, unless the locale names an encoding other than UTF-8, which would garble it; English for everything else.
std::string language_of_environment(const std::map<std::string, std::string>& variables, const std::string& system_language = {});

/// An argument as shown: lists are joined with ", ".
std::string to_text(const FindingValue& value);

}  // namespace gpuway
