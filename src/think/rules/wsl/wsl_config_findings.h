#pragma once

#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// What WSL does not take from .wslconfig and /etc/wsl.conf as it is meant: the whole file, or single lines. About the
/// machine, not about a chain.
void add_ignored_settings(const Snapshot& snapshot, Answer& answer);

}  // namespace gpuway
