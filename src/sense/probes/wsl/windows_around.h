#pragma once

#include "sense/host/host.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// What a WSL distribution sees of the Windows around it: where drive C: is mounted, whose profile on it is this user's,
/// .wslconfig there and /etc/wsl.conf. Nothing on other systems and in containers. Every look at the drive is a round trip
/// to Windows, so only a handful are made. The versions of Windows' driver packages are not asked for.
void collect_windows_around(const Host& host, Snapshot& snapshot);

}  // namespace gpuway
