#pragma once

#include <string>
#include <vector>

#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

struct JudgeOptions {
  std::vector<std::string> frameworks;   // only these; empty: all
};

/// Judges every framework of every environment in the Snapshot. Pure: the same Snapshot gives the same answer.
/// What it would like to know besides goes into `wants`; links that depend on it read as undetermined until then.
Answer judge(const Snapshot& snapshot, const JudgeOptions& options, Wants& wants);

}  // namespace gpuway
