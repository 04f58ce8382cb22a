#include "think/rules/machine.h"

#include <algorithm>

#include "base/text.h"
#include "think/knowledge/gpus.h"
#include "think/rules/driver/cuda_driver.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/windows/windows_driver.h"

namespace gpuway {
namespace {

constexpr std::uint16_t kMicrosoft = 0x1414;

std::string vendor_word(std::uint16_t vendor) {
  switch (vendor) {
    case 0x10de: return "nvidia";
    case 0x1002: return "amd";
    case 0x8086: return "intel";
    default: return "other";
  }
}

std::string hex4(std::uint16_t value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[value >> shift & 15];
  return out;
}

// The report that says most: a working driver before a broken one.
const DriverReport* best_report(const Snapshot& snapshot) {
  const DriverReport* best = nullptr;
  const auto rank = [](const DriverReport& report) {
    return report.device_count.value_or(0) > 0 ? 3 : report.init_code == 0 ? 2 : report.loaded ? 1 : 0;
  };
  for (const auto& [path, report] : snapshot.driver.reports) {
    if (best == nullptr || rank(report) > rank(*best)) best = &report;
  }
  return best;
}

// Windows' own list of adapters; those that the driver has named already are left out.
void add_adapters(const WindowsFacts& windows, MachineSummary& out) {
  auto named = out.gpus.size();
  for (const auto& adapter : windows.adapters) {
    const auto vendor = vendor_word(adapter.vendor);
    if (vendor == "nvidia" && out.driver_version.empty()) out.driver_version = nvidia_version_of(adapter.driver_version);
    if (vendor == "nvidia" && named > 0) {
      --named;
      continue;
    }
    MachineGpu gpu;
    gpu.name = adapter.name;
    gpu.vendor = vendor;
    gpu.memory_bytes = adapter.memory_bytes;
    if (const auto model = find_gpu(adapter.vendor, adapter.device); model && model->compute_capability) {
      gpu.compute_capability = model->compute_capability->text();
    }
    out.gpus.push_back(std::move(gpu));
  }
}

}  // namespace

namespace {

// One word where nobody tried or nothing answered; the words of what went wrong otherwise.
std::string why_not_looked(const Fact<std::string>& looked) {
  if (looked.is_known()) return {};
  if (looked.is_absent()) return "no-program";
  const bool own_words = looked.reason == ErrorCode::not_looked || looked.reason == ErrorCode::tool_failed;
  if (own_words && !looked.detail.empty()) return looked.detail;
  const auto word = std::string(to_word(looked.reason));
  return looked.reason == ErrorCode::timed_out || looked.detail.empty() ? word : word + ": " + looked.detail;
}

MachineWsl summarize_wsl(const WslFacts& wsl) {
  MachineWsl out;
  if (wsl.program == "packaged" || wsl.program == "inbox") out.state = "installed";
  if (wsl.program == "none" || wsl.program == "stub") out.state = "absent";
  out.version = wsl.version.value_or("");
  for (const auto& distribution : wsl.distributions) {
    out.distributions.push_back({distribution.name, distribution.state, distribution.version, distribution.is_default, why_not_looked(distribution.looked), {}});
  }
  return out;
}

}  // namespace

MachineSummary summarize_machine(const Snapshot& snapshot) {
  MachineSummary out;
  out.system = snapshot.system.family;
  out.name = snapshot.system.name.value_or("");
  out.kind = snapshot.system.kind;
  const auto* report = best_report(snapshot);
  std::vector<std::string> told;
  if (report != nullptr) {
    for (const auto& device : report->devices) {
      MachineGpu gpu;
      gpu.name = device.name;
      gpu.vendor = "nvidia";
      if (device.compute_major > 0) gpu.compute_capability = std::to_string(device.compute_major) + "." + std::to_string(device.compute_minor);
      gpu.memory_bytes = device.memory_bytes;
      gpu.visible = true;
      out.gpus.push_back(std::move(gpu));
      told.push_back(to_lower(device.pci_bus_id));
    }
    if (report->driver_version) out.cuda_level = CudaVersion::of_number(*report->driver_version).text();
    out.init_code = report->init_code;
    if (report->nvml) out.driver_version = report->nvml->driver_version.value_or("");
  }
  if (snapshot.windows) add_adapters(*snapshot.windows, out);
  if (snapshot.wsl) out.wsl = summarize_wsl(*snapshot.wsl);
  if (out.driver_version.empty()) out.driver_version = snapshot.driver.module_version.value_or("");
  if (out.driver_version.empty()) out.driver_version = snapshot.driver.smi_driver_version.value_or("");
  if (snapshot.pci_gpus.is_known()) {
    for (const auto& pci : *snapshot.pci_gpus) {
      if (std::find(told.begin(), told.end(), to_lower(pci.address)) != told.end()) continue;
      // The door to Windows' GPUs is none of its own beside those that come through it.
      if (pci.vendor == kMicrosoft && snapshot.system.kind == "wsl2" && !out.gpus.empty()) continue;
      MachineGpu gpu;
      gpu.vendor = vendor_word(pci.vendor);
      // Without the driver's word an NVIDIA adapter on the bus may be one that it lists under another address format.
      if (gpu.vendor == "nvidia" && !out.gpus.empty() && told.size() >= static_cast<std::size_t>(nvidia_presence(snapshot).pci_count)) continue;
      if (const auto model = find_gpu(pci.vendor, pci.device); model && model->compute_capability) {
        gpu.compute_capability = model->compute_capability->text();
      }
      gpu.name = pci.name.empty() ? "PCI " + hex4(pci.vendor) + ":" + hex4(pci.device) : pci.name;
      out.gpus.push_back(std::move(gpu));
    }
  }
  if (report != nullptr && report->init_code == 0 && report->device_count.value_or(0) > 0) {
    out.driver_state = "ok";
  } else if (report != nullptr && report->outcome != DriverReport::Outcome::not_asked) {
    out.driver_state = report->loaded ? "broken" : "undetermined";
  } else if (snapshot.windows) {
    const auto file = snapshot.binaries.find(snapshot.windows->system_folder + "/nvcuda.dll");
    if (file != snapshot.binaries.end() && file->second.outcome == BinaryView::Outcome::missing) out.driver_state = "absent";
  } else if (snapshot.live && snapshot.driver.module_version.is_absent() &&
             std::none_of(snapshot.driver.libcuda_files.begin(), snapshot.driver.libcuda_files.end(), [](const std::string& file) {
               return file.find("/stubs/") == std::string::npos && file.find("/compat/") == std::string::npos;
             })) {
    out.driver_state = "absent";
  }
  return out;
}

}  // namespace gpuway
