#pragma once

#include <string_view>

#include "base/result.h"
#include "think/model/route.h"

namespace gpuway {

/// A machine that somebody tells of: "RTX 3060, driver 566.36, windows 11, python 3.11". Parts are separated by commas or
/// semicolons and may come in any order: GPUs ("2x RTX 4090", "no gpu", "Radeon RX 7900"), driver, system (with its release or
/// build), wsl, Pythons, frameworks with their version. Fails with malformed, naming the part that is none of these.
Result<RouteMachine> machine_on_paper(std::string_view text);

}  // namespace gpuway
