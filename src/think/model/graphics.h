#pragma once

#include <cstdint>
#include <string>

namespace gpuway {

/// One adapter as Windows' graphics interface (DXGI) lists it: what Direct3D and DirectML programs choose from by number.
/// Without a driver there is only the software adapter.
struct GraphicsAdapter {
  std::string name;
  std::uint32_t vendor = 0, device = 0;    // PCI ids, also of an adapter that a hypervisor passes through
  std::uint64_t dedicated_memory = 0;      // bytes of its own
  std::uint64_t shared_memory = 0;         // bytes of the machine's memory that it may use
  std::string luid;                        // "00000000:0000d3f1", until the next start of the machine
  bool software = false;                   // no hardware: the "Microsoft Basic Render Driver"
  std::string driver_version;              // "32.0.15.6636", or empty
};

}  // namespace gpuway
