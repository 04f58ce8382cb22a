#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "think/model/graphics.h"

namespace gpuway {

/// Asks DXGI in a child process of this program (see Host::graphics_adapters).
Result<std::vector<GraphicsAdapter>> ask_graphics_child(const std::map<std::string, std::string>& environment);

/// The other side of it (see maybe_run_child).
int maybe_run_graphics_child(const std::vector<std::string>& arguments);

}  // namespace gpuway
