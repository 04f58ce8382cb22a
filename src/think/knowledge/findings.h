#pragma once

#include <span>
#include <string>
#include <string_view>

#include "think/model/answer.h"

namespace gpuway {

/// What data/tables/findings.toml says of a finding. Lists are joined with blanks.
struct FindingRow {
  std::string_view id, link, severity;
  std::string_view args;        // arguments that every finding of this id carries
  std::string_view next_steps;  // what may be proposed, the usual one first
};

/// The whole vocabulary, sorted by id.
std::span<const FindingRow> finding_rows();
/// The row of an id; nullptr for an id that is not in the vocabulary.
const FindingRow* find_finding(std::string_view id);
/// What contradicts the vocabulary in a finding as a rule made it: its id, an argument that its texts need, its next
/// step. Empty when nothing does.
std::string fault_of(const Finding& finding);

}  // namespace gpuway
