#pragma once

#include "sense/host/host.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// Fills `windows.graphics_adapters` of a Windows machine.
void collect_graphics_adapters(const Host& host, Snapshot& snapshot);

}  // namespace gpuway
