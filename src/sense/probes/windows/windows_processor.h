#pragma once

#include "sense/host/host.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// The processor of a Windows machine: architecture, name, flags, whether a hypervisor lies below, and whether the firmware has
/// switched virtualisation on. Fills the kind of machine: bare or vm; undetermined where the processor could not be asked.
void collect_windows_processor(const Host& host, Snapshot& snapshot);

}  // namespace gpuway
