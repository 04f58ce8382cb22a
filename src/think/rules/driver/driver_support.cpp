#include "think/rules/driver/driver_support.h"

#include "think/knowledge/gpus.h"

namespace gpuway {
namespace {

Finding& add(ChainBuilder& chain, const char* id, Effect effect, const GpuModel& model, const PciGpu& adapter) {
  auto& finding = chain.add(LinkId::driver_version, id, effect, Severity::error, Certainty::probable);
  const auto& architecture = *model.architecture;
  set_args(finding, {{"device", std::string(model.name)},
                     {"generation", std::string(architecture.name)}});
  add_evidence(finding, "file", "/sys/bus/pci/devices/" + adapter.address, std::string(model.name));
  add_evidence(finding, "table", "gpus.toml", std::string(architecture.name));
  return finding;
}

}  // namespace

bool judge_driver_support(ChainBuilder& chain, const GpuPresence& presence, Effect effect) {
  const auto& driver = chain.snapshot().driver;
  if (presence.adapter == nullptr || !driver.module_version.is_known()) return false;
  const auto model = find_gpu(presence.adapter->vendor, presence.adapter->device);
  const auto branch = driver_branch(*driver.module_version);
  if (!model || model->architecture == nullptr || !branch) return false;
  const auto& architecture = *model->architecture;
  if (architecture.last_branch > 0 && *branch > architecture.last_branch) {
    auto& finding = add(chain, "driver-dropped-old-gpu", effect, *model, *presence.adapter);
    set_args(finding, {{"have", *driver.module_version}, {"last", std::to_string(architecture.last_branch)}});
    add_evidence(finding, "file", "/proc/driver/nvidia/version", *driver.module_version);
    set_next_step(finding, "install-driver-branch", {"apt-cache search --names-only 'nvidia-driver-" + std::to_string(architecture.last_branch) + "'"});
    return true;
  }
  if (architecture.modules == KernelModules::open_only && driver.module_flavour.value_or("") == "proprietary") {
    auto& finding = add(chain, "open-kernel-module-required", effect, *model, *presence.adapter);
    add_evidence(finding, "file", "/proc/driver/nvidia/version", "proprietary, " + *driver.module_version);
    set_next_step(finding, "install-open-kernel-module", {"sudo dmesg | grep -i nvrm | tail", "apt-cache search --names-only 'nvidia-driver-.*-open'"});
    return true;
  }
  return false;
}

}  // namespace gpuway
