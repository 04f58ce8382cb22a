#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "think/model/answer.h"

namespace gpuway {

/// A cause that a log names or hints at. `lines` are numbers of the input, from 1, in order.
struct NamedCause {
  std::string id;              // of the vocabulary, data/tables/findings.toml
  int weight = 0;              // 1 to 99: how much of the text speaks for it
  Certainty certainty = Certainty::probable;   // proven: the text itself settles it; probable: it only makes it likelier
  std::vector<std::size_t> lines;
  std::vector<std::string> signatures;         // the rows of data/tables/signatures.toml that speak for it
};

/// Lines that look bad and change nothing, by signature.
struct HarmlessLines {
  std::string id;
  std::vector<std::size_t> lines;
};

/// What would decide between the causes that are left, and the command that shows it.
struct MissingFact {
  std::string id, command;
};

/// What the log says about the machine: "tensorflow" -> "2.10.0".
struct LogFact {
  std::string value;
  std::size_t line = 0;
};

/// What `explain` makes of a log.
struct Explanation {
  bool decided = false;   // exactly one cause is proven; the rest of `causes`, if any, follows from it or is weaker
  std::vector<NamedCause> causes;                  // the likeliest first
  std::vector<HarmlessLines> harmless;
  std::vector<MissingFact> missing_facts;
  std::map<std::string, LogFact> facts;
  std::map<std::size_t, std::string> texts;        // the lines named above, as they can be shown
  std::size_t lines = 0;                           // of the input
  bool binary = false;                             // the input is no text; nothing was read
};

}  // namespace gpuway
