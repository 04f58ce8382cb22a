#include "sense/probes/windows/windows_processor.h"

#include "base/text.h"
#include "sense/probes/windows/registry_values.h"
#include "think/formats/system_files.h"

namespace gpuway {
namespace {

constexpr const char* kMachineEnvironment = "HKLM/SYSTEM/CurrentControlSet/Control/Session Manager/Environment";
constexpr const char* kFirmware = "HKLM/HARDWARE/DESCRIPTION/System/BIOS";
constexpr const char* kProcessor = "HKLM/HARDWARE/DESCRIPTION/System/CentralProcessor/0";

std::string architecture_of(std::string_view word) {
  const auto lower = to_lower(word);
  return lower == "amd64" ? "x86_64" : lower == "arm64" ? "aarch64" : lower;
}

// The machine's environment names the processor that Windows was made for; a process's own names the one that is emulated for
// it, when it is (x64 programs on Arm).
Fact<std::string> architecture(const Host& host) {
  constexpr const char* name = "PROCESSOR_ARCHITECTURE";
  auto machine = registry_text_fact(host, kMachineEnvironment, name);
  if (machine.is_known()) {
    machine.value = architecture_of(*machine);
    return machine;
  }
  const auto& variables = host.environment();
  // A 32-bit program on 64-bit Windows sees the processor that it runs on under the second name.
  for (const auto* variable : {"PROCESSOR_ARCHITEW6432", name}) {
    const auto found = variables.find(variable);
    if (found != variables.end()) return Fact<std::string>::known(architecture_of(found->second), {Source::Kind::variable, variable});
  }
  return machine;
}

// The firmware's names come first: a Windows that has its own hypervisor is the root of that one, also inside another.
void collect_hypervisor(const Host& host, const ProcessorFeatures& processor, SystemFacts& system) {
  using Name = Fact<std::string>;
  if (const auto firmware = host.read_registry(kFirmware, RegistryView::bits64); firmware) {
    auto name = hypervisor_of_product(text_of(*firmware, "SystemManufacturer") + " " + text_of(*firmware, "SystemProductName"));
    if (!name.empty()) system.hypervisor = Name::known(std::move(name), registry_source(kFirmware));
  }
  const Source source{Source::Kind::library_call, "CPUID"};
  if (!system.hypervisor.is_known()) {
    const bool inside = !processor.hypervisor.empty() && !processor.root_partition;
    system.hypervisor = inside ? Name::known(hypervisor_of_signature(processor.hypervisor), source) : Name::absent(source);
  }
  system.kind = system.hypervisor.is_known() ? "vm" : "bare";
  system.kind_source = system.hypervisor.source;
}

// Windows answers false once a hypervisor runs, its own included: Hyper-V runs only where the firmware allows it, and what a
// virtual machine may do is not told by this.
Fact<bool> firmware_virtualization(const ProcessorFeatures& processor, const SystemFacts& system) {
  const Source source{Source::Kind::library_call, "IsProcessorFeaturePresent(PF_VIRT_FIRMWARE_ENABLED)"};
  if (processor.virtualization) return Fact<bool>::known(true, source);
  if (processor.root_partition) return Fact<bool>::known(true, {Source::Kind::library_call, "CPUID"});
  if (!processor.hypervisor.empty() || system.hypervisor.is_known()) {
    return Fact<bool>::undetermined(ErrorCode::not_looked, "a hypervisor lies below this Windows", source);
  }
  return Fact<bool>::known(false, source);
}

}  // namespace

void collect_windows_processor(const Host& host, Snapshot& snapshot) {
  auto& system = snapshot.system;
  system.architecture = architecture(host);
  system.cpu_name = registry_text_fact(host, kProcessor, "ProcessorNameString");
  const Source source{Source::Kind::library_call, "CPUID"};
  const auto processor = host.processor();
  if (!processor) {
    system.cpu_flags = Fact<std::vector<std::string>>::from_error(processor.error(), source);
    return;
  }
  system.cpu_flags = Fact<std::vector<std::string>>::known(processor->flags, source);
  // On Arm the emulator answers: what it shows to x64 programs, and nothing of the machine.
  if (system.architecture.value_or("") == "aarch64") return;
  collect_hypervisor(host, *processor, system);
  snapshot.windows->firmware_virtualization = firmware_virtualization(*processor, system);
}

}  // namespace gpuway
