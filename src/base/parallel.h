#pragma once

#include <cstddef>
#include <functional>

namespace gpuway {

/// Calls `work(0)` to `work(count - 1)`, in no order, on as many threads as the machine has cores (at most 8), and returns
/// when all are done. `grain` calls are worth a thread of their own. The calls must not touch what another one writes.
/// What one of them throws is thrown here, and the rest may be left undone.
void for_each_index(std::size_t count, std::size_t grain, const std::function<void(std::size_t)>& work);

}  // namespace gpuway
