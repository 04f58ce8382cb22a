#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"
#include "think/rules/windows/dll_faults.h"
#include "think/rules/windows/windows_chains.h"
#include "think/rules/wsl/wsl_way.h"

#include "base/path.h"

namespace gpuway {

// jaxlib for Windows has no GPU code and no plug-in is published for it (jax.readthedocs.io, installation; shared facts jax.toml).
void judge_jax_on_windows(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  if (judge_python_links(chain, rule).empty() || chain.environment().real_executable.is_absent()) return;
  chain.chain.flavour = "cpu";
  WindowsPython process(chain);
  if (process.start().state == DllOutcome::State::undetermined) {
    chain.undetermined(LinkId::interpreter, Effect::import_fails, "interpreter: " + process.start().reason);
  }
  const auto* jaxlib = chain.import_of("jaxlib");
  if (jaxlib != nullptr && jaxlib->kind == ImportCandidate::Kind::package) {
    // Since 0.6 the modules are small and share jax_common.dll; before, all was in xla_extension.pyd.
    const auto folder = parent_path(jaxlib->path);
    DllFaults faults(chain);
    for (const auto* name : {"_jax.pyd", "xla_extension.pyd"}) {
      if (!process.loader().held(folder, name)) continue;
      const auto path = join_path(folder, name);
      faults.note(process.import_extension(path), path, path, Effect::import_fails, LinkId::interpreter,
                  process.has_search_flags() ? DllSearch::without_path : DllSearch::with_path);
      break;
    }
    faults.finish();
  }
  const auto presence = nvidia_presence(chain.snapshot());
  if (presence.state != GpuPresence::State::present) return;
  auto& finding = chain.add(LinkId::wheel, "jax-no-windows-gpu", Effect::no_gpu, Severity::error);
  set_args(finding, {{"version", chain.chain.version}});
  finding.evidence.push_back(presence.evidence);
  set_way_into_wsl(chain.snapshot(), finding);
}

}  // namespace gpuway
