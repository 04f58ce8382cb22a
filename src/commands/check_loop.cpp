#include "commands/check_loop.h"

#include <set>
#include <vector>

#include "base/parallel.h"
#include "sense/probes/fetch.h"

namespace gpuway {
namespace {

// Each round opens one more level of a dependency tree; real trees are some ten levels deep. A Snapshot that still
// wants something after this many rounds is a fault of ours, and the answer says "undetermined" where it matters.
constexpr int kMaxRounds = 64;

// One round: every environment says by itself what it wants. `waiting` is nothing in the first round.
std::set<ChainId> ask_all(const Snapshot& snapshot, const JudgeOptions& options, const std::set<ChainId>* waiting, Wants& wants) {
  const auto& environments = snapshot.environments;
  std::vector<Wants> own(environments.size());
  std::vector<std::set<ChainId>> still(environments.size());
  for_each_index(environments.size(), 1,
                 [&](std::size_t i) { still[i] = gather_wants(snapshot, environments[i], options, waiting, own[i]); });
  std::set<ChainId> all;
  for (std::size_t i = 0; i < environments.size(); ++i) {
    wants.merge(own[i]);
    all.merge(still[i]);
  }
  return all;
}

}  // namespace

Answer judge_while_fetching(const Host& host, const JudgeOptions& options, std::chrono::milliseconds limit, Snapshot& snapshot) {
  Fetcher fetcher(host, limit);
  std::set<ChainId> waiting;
  for (int round = 0; round < kMaxRounds; ++round) {
    Wants wants;
    waiting = ask_all(snapshot, options, round == 0 ? nullptr : &waiting, wants);
    if (round == 0) gather_machine_wants(snapshot, wants);
    if (wants.empty() || !fetcher.fetch(wants, snapshot) || waiting.empty()) break;
  }
  // The answer comes from one pass over the whole Snapshot, as `--from` makes it.
  for (int round = 0;; ++round) {
    Wants wants;
    auto answer = judge(snapshot, options, wants);
    if (wants.empty() || round == kMaxRounds || !fetcher.fetch(wants, snapshot)) return answer;
  }
}

}  // namespace gpuway
