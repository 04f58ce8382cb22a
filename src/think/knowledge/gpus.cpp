#include "think/knowledge/gpus.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpuway {
namespace {

struct DeviceRow {
  std::uint16_t vendor, device;
  std::string_view name, chip;
  std::int8_t architecture;  // index into kArchitectures, or -1
  CudaVersion compute_capability;
  bool confirmed;
};

#include "knowledge/gpus_data.inc"

}  // namespace

std::optional<GpuModel> find_gpu(std::uint16_t vendor, std::uint16_t device) {
  const auto wanted = std::pair(vendor, device);
  const auto* row =
      std::lower_bound(std::begin(kDevices), std::end(kDevices), wanted,
                       [](const DeviceRow& have, const auto& id) { return std::pair(have.vendor, have.device) < id; });
  if (row == std::end(kDevices) || std::pair(row->vendor, row->device) != wanted) return std::nullopt;
  GpuModel model{row->name, row->chip, nullptr, std::nullopt, row->confirmed};
  if (row->architecture >= 0) model.architecture = &kArchitectures[row->architecture];
  if (row->compute_capability.major > 0) model.compute_capability = row->compute_capability;
  return model;
}

const Architecture* find_architecture(std::string_view id) {
  for (const auto& row : kArchitectures) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

std::optional<bool> is_known_to_branch(const Architecture& architecture, int branch) {
  if (architecture.last_branch != 0) return branch <= architecture.last_branch;
  if (architecture.first_branch != 0) return branch >= architecture.first_branch;
  return std::nullopt;
}

}  // namespace gpuway
