#pragma once

#include "think/model/answer.h"
#include "think/model/route.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// What routes need, out of a machine that was looked at and judged.
RouteMachine route_machine_of(const Snapshot& snapshot, const Answer& answer);

}  // namespace gpuway
