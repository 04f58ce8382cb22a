#pragma once

#include <map>
#include <string>

#include "sense/host/host.h"

namespace gpuway {

/// Asks a driver library in a child process of this program. Every fault of the library is an outcome in the report.
DriverReport ask_driver_child(const DriverRequest& request, const std::map<std::string, std::string>& environment);

}  // namespace gpuway
