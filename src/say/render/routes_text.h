#pragma once

#include <string>
#include <vector>

#include "say/messages/messages.h"
#include "say/render/text.h"
#include "think/model/route.h"

namespace gpuway {

/// The table of `gpuway routes`: the ways that work, best first, and the others with the reason against each.
std::string render_routes_text(const std::vector<Route>& routes, const RouteMachine& machine, const RouteWishes& wishes,
                               const Messages& messages, const TextOptions& options);

/// The whole story of one route, for `gpuway routes NAME`.
std::string render_route_text(const Route& route, const Messages& messages, const TextOptions& options);

}  // namespace gpuway
