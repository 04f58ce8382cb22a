#pragma once

#include "sense/host/host.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// What a Windows machine tells of itself in its registry and variables: the parts `system` and `windows` of the Snapshot.
void collect_windows_system(const Host& host, Snapshot& snapshot);

}  // namespace gpuway
