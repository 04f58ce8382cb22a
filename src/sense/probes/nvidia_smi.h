#pragma once

#include <string>

#include "sense/host/host.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// Where nvidia-smi lies: in a folder of PATH (relative ones are passed over) or in its usual places; empty when
/// nowhere. Only looks. Empty for a host whose programs cannot be run.
std::string find_nvidia_smi(const Host& host);

/// Runs the program found, with a limit for its time and its text, and keeps what it says about the driver in
/// driver.smi_text: the versions' line of its table, or, when it fails, its exit code and its first lines. The table's
/// list of processes is nobody's business and is not kept.
void ask_nvidia_smi(const Host& host, std::chrono::milliseconds limit, Snapshot& snapshot);

}  // namespace gpuway
