#pragma once

#include <string>
#include <vector>

#include "commands/check.h"
#include "think/rules/judge.h"

namespace gpuway {

/// A machine that was looked at, and what is judged of it.
struct Looked {
  Snapshot snapshot;
  Answer answer;
};

/// Looks at this machine, at another root or into a saved Snapshot, as the options say. Named environments that are none come
/// back in `not_found`.
Result<Looked> look(const CheckOptions& options, const JudgeOptions& judging, Program& program, std::vector<std::string>& not_found);

}  // namespace gpuway
