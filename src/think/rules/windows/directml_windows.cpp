#include "think/rules/windows/directml_windows.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

constexpr const char* kPackage = "tensorflow-directml-plugin";

// Adapters that are drawn by the processor: Microsoft's basic and remote ones, and those of virtual machines' consoles.
bool is_hardware(const DisplayAdapter& adapter) {
  constexpr std::uint16_t microsoft = 0x1414;
  return adapter.vendor != 0 && adapter.vendor != microsoft && adapter.provider != "Microsoft";
}

}  // namespace

void judge_directml_adapters(ChainBuilder& chain) {
  const auto& adapters = chain.snapshot().windows->adapters;
  if (adapters.empty()) {
    chain.undetermined(LinkId::device, Effect::no_gpu, "no display adapter could be read");
    return;
  }
  if (std::any_of(adapters.begin(), adapters.end(), is_hardware)) {
    chain.undetermined(LinkId::device, Effect::no_gpu, "DirectML devices are not asked");
    return;
  }
  auto& finding = chain.add(LinkId::device, "directml-no-hardware-adapter", Effect::no_gpu, Severity::error);
  set_args(finding, {{"framework", chain.chain.framework}});
  for (const auto& adapter : adapters) add_evidence(finding, "registry", adapter.name, adapter.provider);
  set_next_step(finding, "look-for-gpu", {"Get-PnpDevice -Class Display"});
}

void judge_directml_plugin(ChainBuilder& chain, WindowsPython& process) {
  const auto* plugin = chain.package(kPackage);
  if (plugin == nullptr) return;
  chain.chain.flavour = "directml";
  chain.cuda_expected = false;
  // Plug-ins are loaded from site-packages\tensorflow-plugins when TensorFlow is imported.
  const auto folder = join_path(plugin->site, "tensorflow-plugins");
  const auto view = chain.snapshot().folders.find(folder);
  if (view == chain.snapshot().folders.end()) {
    chain.wants().folders.emplace(folder, true);
    chain.undetermined(LinkId::wheel, Effect::import_fails, folder + " was not listed");
    return;
  }
  for (const auto& name : view->second.names) {
    if (!to_lower(name).ends_with(".dll")) continue;
    const auto path = join_path(folder, name);
    const auto outcome = process.loader().load(path, kSearchDefaultDirs | kSearchDllLoadDir);
    if (outcome.state == DllOutcome::State::undetermined) {
      chain.undetermined(LinkId::wheel, Effect::import_fails, name + ": " + outcome.reason);
      return;
    }
    if (outcome.state == DllOutcome::State::loaded) continue;
    const auto& failure = *outcome.failure;
    chain.missing(failure.library, path, !failure.asked_by.empty(), Effect::import_fails);
    auto& finding = chain.add(LinkId::wheel, "directml-plugin-tf-version-mismatch", Effect::import_fails, Severity::error);
    set_args(finding, {{"plugin", plugin->version}, {"version", chain.chain.version}});
    add_evidence(finding, "file", path, failure.symbol.empty() ? "cannot be loaded" : "nothing defines " + failure.symbol);
    for (const auto& line : plugin->requires_dist) {
      if (line.starts_with("tensorflow")) add_evidence(finding, "file", join_path(plugin->location, "METADATA"), line);
    }
    finding.searched = failure.searched;
    set_next_step(finding, "install-fitting-version", {install_command(chain, {"tensorflow-cpu==2.10.0", "numpy<2"})});
    return;
  }
  judge_directml_adapters(chain);
}

}  // namespace gpuway
