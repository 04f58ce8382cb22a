#pragma once

#include <map>
#include <string>

#include "think/model/route.h"

namespace gpuway {

/// A route as files that a person can read and run by hand: requirements, set-up scripts, recipes for containers, and a check
/// of the result. By relative path. Empty for a route that installs nothing. The same route gives the same bytes.
std::map<std::string, std::string> lock_files(const Route& route, const RouteMachine& machine);

}  // namespace gpuway
