#pragma once

#include <string>

#include "think/rules/gpu/gpu_libraries.h"

namespace gpuway {

/// A call into cuDNN 9 through its front library. The front opens libcudnn_graph for it and ends the process when it
/// cannot, or when that part does not define the function (measured: shared facts oracle-linux.md 6.8). A libcudnn that
/// names no such part answers by itself.
void judge_cudnn_call(ChainBuilder& chain, PythonProcess& process, LibraryFaults& faults, int cudnn_major,
                      const std::string& function);

}  // namespace gpuway
