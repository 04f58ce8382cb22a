#include "think/knowledge/gpus.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

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

namespace {

// "NVIDIA GeForce RTX 3060 Laptop GPU" -> {"rtx", "3060", "mobile"}: what tells models apart.
std::vector<std::string> name_parts(std::string_view name) {
  std::vector<std::string> parts;
  std::string word;
  const auto close = [&] {
    if (word == "laptop" || word == "notebook") word = "mobile";
    const bool empty_talk = word.empty() || word == "nvidia" || word == "geforce" || word == "gpu" || word == "graphics" || word == "card" || word == "max" || word == "q";
    if (!empty_talk) parts.push_back(word);
    word.clear();
  };
  bool digits = false;
  for (const char c : name) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    const bool digit = lower >= '0' && lower <= '9';
    const bool letter = lower >= 'a' && lower <= 'z';
    // "RTX3060" is "RTX 3060"; "A100" and "12GB" stay as they are.
    if (!word.empty() && digit && !digits && word.size() >= 3) close();
    if (digit || letter) word += lower;
    else close();
    digits = digit;
  }
  close();
  std::sort(parts.begin(), parts.end());
  return parts;
}

}  // namespace

std::optional<GpuModel> find_gpu_named(std::string_view name) {
  constexpr std::uint16_t nvidia = 0x10de;
  const auto wanted = name_parts(name);
  if (wanted.empty()) return std::nullopt;
  const DeviceRow* best = nullptr;
  std::size_t best_size = 0;
  bool alike = true;
  for (const auto& row : kDevices) {
    if (row.vendor != nvidia) continue;
    const auto have = name_parts(row.name);
    if (!std::includes(have.begin(), have.end(), wanted.begin(), wanted.end())) continue;
    if (best == nullptr || have.size() < best_size) {
      best = &row;
      best_size = have.size();
      alike = true;
    } else if (have.size() == best_size) {
      alike = alike && row.compute_capability == best->compute_capability;
    }
  }
  if (best == nullptr || !alike) return std::nullopt;
  return find_gpu(best->vendor, best->device);
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
