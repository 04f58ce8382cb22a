#pragma once

#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// The few lines that head an answer: system, GPUs, driver.
MachineSummary summarize_machine(const Snapshot& snapshot);

}  // namespace gpuway
