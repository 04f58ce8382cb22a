#include "think/rules/wsl/wsl_way.h"

#include <algorithm>

#include "think/rules/chain_builder.h"

namespace gpuway {
namespace {

constexpr int kFirstBuildWithGpu = 19044;   // Windows 10 21H2 (learn.microsoft.com/windows/ai/directml/gpu-cuda-in-wsl)

// The default one where it will do, or the first that will.
const WslDistribution* chosen(const WslFacts& wsl, int version) {
  const WslDistribution* first = nullptr;
  for (const auto& row : wsl.distributions) {
    if (row.version != version || row.is_a_programs_own()) continue;
    if (row.is_default) return &row;
    if (first == nullptr) first = &row;
  }
  return first;
}

void tell_distribution(Finding& finding, const WslDistribution& row) {
  add_evidence(finding, "registry", "HKCU\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Lxss\\" + row.guid,
               row.name + ": WSL " + std::to_string(row.version));
}

}  // namespace

void set_way_into_wsl(const Snapshot& snapshot, Finding& finding) {
  const auto list = [&] { set_next_step(finding, "use-wsl", {"wsl.exe --list --verbose"}); };
  if (!snapshot.wsl || snapshot.wsl->program == "undetermined") return list();
  const auto& wsl = *snapshot.wsl;
  if (snapshot.windows && snapshot.windows->build.is_known() && *snapshot.windows->build < kFirstBuildWithGpu) {
    return set_next_step(finding, "update-windows-for-wsl", {"cmd.exe /c ver"});
  }
  if (!wsl.allowed.value_or(true)) {
    add_evidence(finding, "registry", wsl.allowed.source.where, "0");
    return set_next_step(finding, "ask-for-wsl", {"reg.exe query HKLM\\SOFTWARE\\Policies\\WSL"});
  }
  if (snapshot.windows && !snapshot.windows->firmware_virtualization.value_or(true)) {
    add_evidence(finding, "library-call", snapshot.windows->firmware_virtualization.source.where, "0");
    return set_next_step(finding, "switch-on-virtualization", {"(Get-CimInstance Win32_Processor).VirtualizationFirmwareEnabled"});
  }
  if (wsl.program == "none" || wsl.program == "stub") return set_next_step(finding, "install-wsl", {"wsl.exe --install"});
  if (wsl.asks_for_virtualization) {
    return set_next_step(finding, "switch-on-virtual-machines", {"dism.exe /Online /NoRestart /Enable-Feature /FeatureName:VirtualMachinePlatform"});
  }
  if (const auto* two = chosen(wsl, 2); two != nullptr && two->has_plain_name()) {
    tell_distribution(finding, *two);
    return set_next_step(finding, "enter-wsl", {"wsl.exe -d " + two->name});
  }
  if (const auto* one = chosen(wsl, 1); one != nullptr && one->has_plain_name()) {
    tell_distribution(finding, *one);
    return set_next_step(finding, "convert-wsl1-distribution", {"wsl.exe --set-version " + one->name + " 2"});
  }
  const bool usable = std::any_of(wsl.distributions.begin(), wsl.distributions.end(), [](const WslDistribution& row) { return !row.is_a_programs_own(); });
  if (usable) return list();
  set_next_step(finding, "add-wsl-distribution", {"wsl.exe --list --online"});
}

}  // namespace gpuway
