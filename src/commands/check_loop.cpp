#include "commands/check_loop.h"

#include "sense/probes/fetch.h"

namespace gpuway {
namespace {

// Each round opens one more level of a dependency tree; real trees are some ten levels deep. A Snapshot that still
// wants something after this many rounds is a fault of ours, and the answer says "undetermined" where it matters.
constexpr int kMaxRounds = 64;

}  // namespace

Answer judge_while_fetching(const Host& host, const JudgeOptions& options, Snapshot& snapshot) {
  for (int round = 0;; ++round) {
    Wants wants;
    auto answer = judge(snapshot, options, wants);
    if (wants.empty() || round == kMaxRounds || !fetch(host, wants, snapshot)) return answer;
  }
}

}  // namespace gpuway
