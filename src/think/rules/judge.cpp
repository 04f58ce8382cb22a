#include "think/rules/judge.h"

#include <algorithm>

#include "think/rules/chain_builder.h"
#include "think/rules/framework_chains.h"
#include "think/rules/gpu_presence.h"
#include "think/rules/machine.h"

namespace gpuway {
namespace {

bool chosen(const JudgeOptions& options, std::string_view framework) {
  return options.frameworks.empty() ||
         std::find(options.frameworks.begin(), options.frameworks.end(), framework) != options.frameworks.end();
}

// A framework is in an environment when a distribution of it is installed or its module can be imported from there.
bool is_installed(const ChainBuilder& chain, const FrameworkRule& rule) {
  for (const auto* name : rule.distributions) {
    if (chain.package(name) != nullptr) return true;
  }
  const auto* module = chain.import_of(rule.module);
  return module != nullptr && module->kind == ImportCandidate::Kind::package;
}

// The machine's own libcuda, as a plain program would get it: asked once even when no framework leads to it.
void want_machine_driver(const Snapshot& snapshot, Wants& wants) {
  if (!snapshot.live) return;
  std::string path;
  if (snapshot.loader_cache.is_known()) {
    for (const auto& entry : snapshot.loader_cache->entries) {
      if (entry.soname == "libcuda.so.1" && entry.hwcap.empty()) {
        path = entry.path;
        break;
      }
    }
  }
  if (path.empty() || snapshot.driver.reports.contains(path)) return;
  wants.driver_reports.emplace(path, Wants::DriverQuestion{path, "libnvidia-ml.so.1"});
}

}  // namespace

Answer judge(const Snapshot& snapshot, const JudgeOptions& options, Wants& wants) {
  Answer answer;
  want_machine_driver(snapshot, wants);
  for (const auto& environment : snapshot.environments) {
    for (const auto& rule : framework_rules()) {
      if (!chosen(options, rule.framework)) continue;
      ChainBuilder chain(snapshot, environment, rule.framework, wants);
      if (!is_installed(chain, rule)) continue;
      rule.judge(chain);
      const auto presence = nvidia_presence(snapshot);
      if (presence.state == GpuPresence::State::absent) chain.settle_without_gpu(presence.evidence);
      answer.chains.push_back(chain.finish(static_cast<int>(answer.chains.size()), answer.findings));
    }
  }
  answer.machine = summarize_machine(snapshot);
  return answer;
}

}  // namespace gpuway
