#pragma once

#include <string>
#include <vector>

#include "think/model/route.h"

namespace gpuway {

/// The answer of `routes --json`: one document, schema gpuway.routes/1.
std::string render_routes_json(const std::vector<Route>& routes, const RouteMachine& machine, const RouteWishes& wishes,
                               const std::string& version, const std::string& knowledge_date);

}  // namespace gpuway
