#pragma once

#include "think/model/processor.h"

namespace gpuway {

/// Asks this machine's processor. Cannot fail: the program is x86-64 only.
ProcessorFeatures read_processor();

}  // namespace gpuway
