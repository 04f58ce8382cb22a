#include "think/rules/wsl/wsl_inside.h"

#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

struct Setting {
  const WslConfig* config = nullptr;
  const WslSetting* line = nullptr;
};

Setting switched(const Fact<WslConfig>& config, std::string_view key, bool value) {
  if (!config.is_known()) return {};
  const auto* line = config->find(key);
  if (line == nullptr || config->flag(key, !value) != value) return {};
  return {&*config, line};
}

// Files count from the next start on. A device that is there says that .wslconfig was changed since; /etc/wsl.conf takes
// away the libraries only, and these are known to be missing.
Setting setting_in_force(const Snapshot& snapshot) {
  if (!snapshot.around) return {};
  const auto& around = *snapshot.around;
  const auto* dxg = device_node(snapshot, "/dev/dxg");
  if (dxg == nullptr || dxg->usable.is_absent()) {
    for (const auto& found : {switched(around.config, "wsl2.gpuSupport", false), switched(around.config, "wsl2.safeMode", true)}) {
      if (found.line != nullptr) return found;
    }
  }
  return switched(around.distribution_config, "gpu.enabled", false);
}

}  // namespace

bool add_gpu_switched_off(ChainBuilder& chain, Effect effect) {
  const auto& snapshot = chain.snapshot();
  const auto found = setting_in_force(snapshot);
  if (found.line == nullptr) return false;
  // As long as the setting hides Windows' driver packages, nothing tells whether there is a GPU behind it: no error then.
  const auto& packages = snapshot.driver.windows_packages;
  auto& finding = chain.add(LinkId::driver_library, "wsl-gpu-switched-off", effect,
                            packages.is_known() ? Severity::error : Severity::warning, Certainty::proven);
  set_args(finding, {{"setting", found.line->key + "=" + found.line->value}, {"path", found.config->path}});
  add_evidence(finding, "file", found.config->path + ":" + std::to_string(found.line->line), found.line->key + "=" + found.line->value);
  add_evidence(finding, "file", "/usr/lib/wsl/lib/libcuda.so.1", "does not exist");
  set_next_step(finding, "switch-on-wsl-gpu", {"wsl.exe --shutdown"});
  return true;
}

}  // namespace gpuway
