#pragma once

#include <string>

#include "think/rules/driver/cuda_driver.h"

namespace gpuway {

/// JAX_* variables that make `import jax` raise: a yes-or-no setting with a value that is neither, a number that is none,
/// a choice that jax's own text does not list. `folder` is jax's own.
void judge_jax_switches(ChainBuilder& chain, const std::string& folder);

/// Whether JAX's own variables leave `jax.devices()` to the CUDA back end; adds the finding when they do not.
/// JAX_PLATFORMS lists the back ends that are made, all of which must work; the first is the default one, unless
/// JAX_PLATFORM_NAME names another (xla_bridge.backends and get_backend).
bool chooses_cuda(ChainBuilder& chain);

/// JAX_CUDA_VISIBLE_DEVICES: which of the driver's devices the back end takes. One that does not exist makes it fail.
void judge_visible_devices(ChainBuilder& chain, const DriverAnswer& driver);

}  // namespace gpuway
