#pragma once

#include <map>
#include <string>
#include <vector>

#include "sense/host/host.h"

namespace gpuway {

/// Asks a driver library in a child process of this program. Every fault of the library is an outcome in the report.
DriverReport ask_driver_child(const DriverRequest& request, const std::map<std::string, std::string>& environment);

/// The other side of it (see maybe_run_child).
int maybe_run_driver_child(const std::vector<std::string>& arguments);

}  // namespace gpuway
