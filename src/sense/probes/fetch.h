#pragma once

#include "sense/host/host.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// Fetches everything in `wants` into the Snapshot. Returns false when nothing new could be added (all of it was known
/// already), so that a caller's loop ends. A fault becomes an undetermined fact with its reason.
bool fetch(const Host& host, const Wants& wants, Snapshot& snapshot);

}  // namespace gpuway
