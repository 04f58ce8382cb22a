#pragma once

#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// Gives a finding of Windows the next step that leads to a GPU inside WSL 2 from where this machine stands: the
/// distribution to open, what to install, convert or switch on first. A machine whose WSL was not looked at is shown how
/// to list its distributions.
void set_way_into_wsl(const Snapshot& snapshot, Finding& finding);

}  // namespace gpuway
