#pragma once

#include <optional>
#include <string>
#include <vector>

#include "think/knowledge/cuda.h"
#include "think/rules/chain_builder.h"
#include "think/rules/python/python_process.h"

namespace gpuway {

/// What the driver library that this process would load answered.
struct DriverAnswer {
  const DriverReport* report = nullptr;   // null: not loaded, or not asked yet
  std::string path;
  bool settled = false;                   // nothing more is wanted
  /// False when it is settled that the driver offers no device: frameworks then open no further GPU library.
  bool may_offer_devices() const { return !settled || (report != nullptr && report->device_count.value_or(0) > 0); }
};

/// Opens libcuda.so.1 as `caller` would, has it asked, and judges the links driver-library and device (cuInit, count).
/// `effect` is what a driver that cannot be used takes away, `without_library` what a missing driver library does.
DriverAnswer judge_cuda_driver(ChainBuilder& chain, PythonProcess& process, int caller, Effect effect,
                               std::optional<Effect> without_library = std::nullopt);

/// The same for a driver library that is loaded already: asks it and judges the link device. `nvml` is the management library
/// to ask beside it.
DriverAnswer judge_driver_library(ChainBuilder& chain, const std::string& path, const std::string& nvml, Effect effect);

/// Opens libnvidia-ml.so.1 in the same way and judges what NVML said. For frameworks that give up without it.
void judge_nvml(ChainBuilder& chain, PythonProcess& process, int caller, const DriverAnswer& driver, Effect effect);

/// The driver's CUDA level against the runtime that the framework brings: the same major is enough (minor-version
/// compatibility, CUDA 11 and later), an older major is not.
void judge_driver_version(ChainBuilder& chain, const DriverAnswer& driver, CudaVersion runtime, Effect effect);

}  // namespace gpuway
