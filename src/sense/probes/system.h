#pragma once

#include "sense/host/host.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// Each fills its part of the Snapshot; what cannot be read becomes an undetermined fact.
void collect_system(const Host& host, Snapshot& snapshot);
void collect_loader_cache(const Host& host, Snapshot& snapshot);
void collect_pci_gpus(const Host& host, Snapshot& snapshot);
void collect_driver(const Host& host, Snapshot& snapshot);
void collect_variables(const Host& host, Snapshot& snapshot);

}  // namespace gpuway
