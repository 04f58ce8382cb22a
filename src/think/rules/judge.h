#pragma once

#include <set>
#include <string>
#include <vector>

#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// One framework in one environment.
struct ChainId {
  std::string environment, framework;
  auto operator<=>(const ChainId&) const = default;
};

struct JudgeOptions {
  std::vector<std::string> frameworks;   // only these; empty: all
};

/// Judges every framework of every environment in the Snapshot. Pure: the same Snapshot gives the same answer.
/// What it would like to know besides goes into `wants`; links that depend on it read as undetermined until then.
Answer judge(const Snapshot& snapshot, const JudgeOptions& options, Wants& wants);

/// Gathers what the chains of one environment want: all of them, or only those in `waiting` when it is given. Returns the
/// chains that want something. One that wants nothing need not be asked again, because the Snapshot only grows.
std::set<ChainId> gather_wants(const Snapshot& snapshot, const PythonEnvironment& environment, const JudgeOptions& options,
                               const std::set<ChainId>* waiting, Wants& wants);

/// What the machine summary wants, whether or not there is a framework.
void gather_machine_wants(const Snapshot& snapshot, Wants& wants);

}  // namespace gpuway
