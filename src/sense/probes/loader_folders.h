#pragma once

#include "sense/host/host.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// Fills Snapshot::loader_folders: the folders that /etc/ld.so.conf and the files it includes name, in order. They are what
/// ldconfig would search; the loader itself only reads the cache that ldconfig made of them.
void collect_loader_folders(const Host& host, Snapshot& snapshot);

}  // namespace gpuway
