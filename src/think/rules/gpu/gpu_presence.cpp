#include "think/rules/gpu/gpu_presence.h"

#include <algorithm>

namespace gpuway {
namespace {

constexpr std::uint16_t kNvidia = 0x10de;

// Windows keeps a key for every adapter that it has set up, with or without a driver of its maker.
GpuPresence by_display_adapters(const Snapshot& snapshot, GpuPresence presence) {
  const auto& adapters = snapshot.windows->adapters;
  const std::string where = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}";
  std::string names;
  for (const auto& adapter : adapters) {
    if (adapter.vendor == kNvidia) {
      presence.state = GpuPresence::State::present;
      presence.evidence = {"registry", where, adapter.name};
      return presence;
    }
    names += (names.empty() ? "" : ", ") + adapter.name;
  }
  if (!adapters.empty()) presence.state = GpuPresence::State::absent;
  presence.evidence = {"registry", where, adapters.empty() ? "no adapter could be read" : names};
  return presence;
}

}  // namespace

bool in_container(const Snapshot& snapshot) { return snapshot.system.kind == "container" || snapshot.system.container.is_known(); }
bool in_wsl2(const Snapshot& snapshot) { return snapshot.system.kind == "wsl2"; }

const DeviceNode* device_node(const Snapshot& snapshot, std::string_view path) {
  for (const auto& node : snapshot.driver.nodes) {
    if (node.path == path) return &node;
  }
  return nullptr;
}

bool module_loaded(const Snapshot& snapshot, std::string_view name) {
  const auto& modules = snapshot.driver.loaded_modules;
  return std::find(modules.begin(), modules.end(), name) != modules.end();
}

GpuPresence nvidia_presence(const Snapshot& snapshot) {
  GpuPresence presence;
  for (const auto& [path, report] : snapshot.driver.reports) {
    const int count = std::max(report.device_count.value_or(0), report.device_count_unmasked.value_or(0));
    if (count > 0) {
      presence.state = GpuPresence::State::present;
      presence.evidence = {"library-call", path + ": cuDeviceGetCount", std::to_string(count)};
    }
  }
  if (snapshot.pci_gpus.is_known()) {
    for (const auto& gpu : *snapshot.pci_gpus) {
      if (gpu.vendor != kNvidia) continue;
      ++presence.pci_count;
      if (presence.adapter == nullptr) presence.adapter = &gpu;
    }
  }
  if (presence.state == GpuPresence::State::present) return presence;
  if (snapshot.windows) return by_display_adapters(snapshot, presence);
  if (presence.adapter != nullptr) {
    presence.state = GpuPresence::State::present;
    presence.evidence = {"file", "/sys/bus/pci/devices/" + presence.adapter->address, "vendor 0x10de"};
    return presence;
  }
  for (const auto& node : snapshot.driver.nodes) {
    const bool numbered = node.path.starts_with("/dev/nvidia") && node.path.size() == 12 &&
                          node.path.back() >= '0' && node.path.back() <= '9';
    if (numbered && !node.usable.is_absent()) {
      presence.state = GpuPresence::State::present;
      presence.evidence = {"file", node.path, "device node exists"};
      return presence;
    }
  }
  const auto* dxg = device_node(snapshot, "/dev/dxg");
  if (in_wsl2(snapshot)) {
    // Windows keeps a driver package for every adapter it has set up: without one of NVIDIA's there is no GPU to use.
    const auto& packages = snapshot.driver.windows_packages;
    if (packages.is_known() && packages->empty()) {
      presence.state = GpuPresence::State::absent;
      presence.evidence = {"folder", "/usr/lib/wsl/drivers", "no driver package of NVIDIA"};
      return presence;
    }
    // WSL 2 shows no PCI bus of the host; only the driver can tell, and it has not (yet) named a device.
    presence.evidence = {"file", "/dev/dxg", dxg != nullptr && !dxg->usable.is_absent() ? "exists" : "does not exist"};
    return presence;
  }
  if (snapshot.system.kind == "wsl1") {
    // Nor does WSL 1, which has no bus at all.
    presence.evidence = {"file", "/proc/sys/kernel/osrelease", snapshot.system.kernel.value_or("")};
    return presence;
  }
  if (!snapshot.pci_gpus.is_known() && !snapshot.pci_gpus.is_absent()) {
    presence.evidence = {"file", "/sys/bus/pci/devices", "could not be read"};
    return presence;
  }
  if (!snapshot.live && !snapshot.pci_gpus.is_known()) {
    // An unpacked image or a mounted disk has no bus, which says nothing of the machine that it will run on.
    presence.evidence = {"folder", snapshot.root, "another root, whose machine is not known"};
    return presence;
  }
  // A driver that answers with something else than "no device" may know better than the bus listing.
  presence.state = GpuPresence::State::absent;
  presence.evidence = {"file", "/sys/bus/pci/devices",
                       snapshot.pci_gpus.is_absent() ? "no PCI bus" : "no NVIDIA adapter"};
  return presence;
}

}  // namespace gpuway
