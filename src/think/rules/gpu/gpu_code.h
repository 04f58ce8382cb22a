#pragma once

#include <string>
#include <vector>

#include "think/rules/driver/cuda_driver.h"

namespace gpuway {

/// Machine code and PTX in `files` against the compute capability of every device. Wants the files' GPU code once a
/// device is known. `oldest` is the framework's own minimum, 0.0 when it has none.
void judge_gpu_code(ChainBuilder& chain, const DriverAnswer& driver, const std::vector<std::string>& files,
                    CudaVersion oldest, Effect below_oldest);

}  // namespace gpuway
