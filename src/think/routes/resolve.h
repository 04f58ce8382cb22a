#pragma once

#include <vector>

#include "think/model/route.h"

namespace gpuway {

/// Every way to a GPU for this machine and these wishes, the best first, refused ones last with all their reasons. Pure.
/// Order: known to work (at once or after steps) before what depends on something unknown; then keeps the code, mends what is
/// there, keeps the release and a Python that are there, is still maintained, needs no administrator, no restart, is nearer
/// (this system, WSL, a container), is the faster stack. Ways without a GPU come behind all that have one.
std::vector<Route> resolve_routes(const RouteMachine& machine, const RouteWishes& wishes);

}  // namespace gpuway
