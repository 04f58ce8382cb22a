#include "think/knowledge/wsl_keys.h"

namespace gpuway {
namespace {

#include "knowledge/wsl_keys_data.inc"

}  // namespace

std::span<const WslKey> wsl_keys() { return kWslKeys; }

}  // namespace gpuway
