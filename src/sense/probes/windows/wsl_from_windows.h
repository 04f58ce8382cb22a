#pragma once

#include "sense/host/host.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// WSL as a Windows machine has it: which program answers to wsl.exe, the distributions of this user, .wslconfig, the policy,
/// and whether the NVIDIA driver brought its libraries for Linux. Read from registry and files; wsl.exe is asked only for what
/// runs, and only where distributions are registered, so that Windows' own stub never offers to install anything. No
/// distribution and no virtual machine is started.
void collect_wsl(const Host& host, Snapshot& snapshot);

}  // namespace gpuway
