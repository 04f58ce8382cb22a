#pragma once

#include <cstddef>

#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// Puts what a distribution of WSL (one of answer.machine.wsl) answers by itself behind the answer of the Windows around it:
/// chains and findings carry the distribution's name, and ids of environments begin with it (environment_id).
void join_distribution(std::size_t index, Answer inside, Answer& answer);

/// Where a framework on Windows is sent into WSL and a distribution holds the same framework with a GPU that it can compute
/// on, the next step leads to that very environment.
void lead_to_what_works(const Snapshot& snapshot, Answer& answer);

}  // namespace gpuway
