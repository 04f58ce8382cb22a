#pragma once

#include <string>
#include <vector>

namespace gpuway {

/// What the processor says of itself (CPUID) and what the system lets programs use of it.
struct ProcessorFeatures {
  std::vector<std::string> flags;   // sorted, with the names of /proc/cpuinfo; AVX and what builds on it only where the system
                                    // keeps the registers (XGETBV)
  std::string hypervisor;           // signature of the hypervisor below the system ("Microsoft Hv"), or empty
  bool root_partition = false;      // that hypervisor belongs to this Windows: Hyper-V, WSL 2 and memory integrity start one
  bool virtualization = false;      // Windows says that the firmware has switched virtualisation on; false below a hypervisor
};

}  // namespace gpuway
