#pragma once

#include <string>

#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// Whether the machine has an NVIDIA GPU, from everything that can tell: PCI bus, device nodes, /dev/dxg, the driver.
struct GpuPresence {
  enum class State : std::uint8_t { present, absent, undetermined } state = State::undetermined;
  Evidence evidence;          // what decided it
  int pci_count = 0;          // NVIDIA adapters on the bus
  const PciGpu* adapter = nullptr;   // the first of them
};
GpuPresence nvidia_presence(const Snapshot& snapshot);

bool in_container(const Snapshot& snapshot);
bool in_wsl2(const Snapshot& snapshot);
/// The node of this path when the probe looked at it.
const DeviceNode* device_node(const Snapshot& snapshot, std::string_view path);
bool module_loaded(const Snapshot& snapshot, std::string_view name);

}  // namespace gpuway
