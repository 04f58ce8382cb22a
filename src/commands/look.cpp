#include "commands/look.h"

#include "commands/check_loop.h"
#include "commands/progress.h"
#include "sense/host/root_host.h"
#include "sense/probes/assemble.h"
#include "think/knowledge/interests.h"
#include "think/model/snapshot_json.h"

namespace gpuway {

Result<Looked> look(const CheckOptions& options, const JudgeOptions& judging, Program& program, std::vector<std::string>& not_found) {
  Looked looked;
  if (!options.from.empty()) {
    GPUWAY_TRY_ASSIGN(const auto text, program.host.read_file(options.from, kMaxSnapshotBytes), options.from);
    GPUWAY_TRY_ASSIGN(looked.snapshot, snapshot_from_json(text), options.from);
    Wants nothing;   // a saved machine cannot be looked at again
    looked.answer = judge(looked.snapshot, judging, nothing);
    return looked;
  }
  SenseOptions sensing;
  sensing.program_version = GPUWAY_VERSION;
  sensing.python.prefixes = options.environments;
  sensing.python.search_everywhere = options.environments.empty();
  sensing.python.modules = modules_wanted();
  sensing.python.distributions = distributions_wanted();
  auto& distributions = sensing.distributions;
  distributions.look = options.environments.empty();
  distributions.start_stopped = options.start_distributions;
  distributions.frameworks = judging.frameworks;
  distributions.driver_limit = std::chrono::seconds(options.timeout_s);
  distributions.program_version = GPUWAY_VERSION;
  std::unique_ptr<Host> other_root;
  if (!options.root.empty()) {
    GPUWAY_TRY_ASSIGN(other_root, make_root_host(program.host, options.root), options.root);
  }
  const Host& host = other_root != nullptr ? *other_root : program.host;
  const Progress progress(program, "looking at this machine");
  looked.snapshot = take_snapshot(host, sensing, not_found);
  looked.answer = judge_while_fetching(host, judging, std::chrono::seconds(options.timeout_s), looked.snapshot);
  return looked;
}

}  // namespace gpuway
