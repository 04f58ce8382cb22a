#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "think/knowledge/cuda.h"

namespace gpuway {

/// Which builds of NVIDIA's Linux kernel module find GPUs of a generation.
enum class KernelModules : std::uint8_t { both, closed_only, open_only };

/// A generation of NVIDIA GPUs.
struct Architecture {
  std::string_view id, name;  // "ada", "Ada Lovelace"
  int first_branch = 0;       // the first driver branch that knows it; 0: no limit in the table
  int last_branch = 0;        // the last one; 0: still supported
  KernelModules modules = KernelModules::both;
};

/// A graphics adapter by its PCI id.
struct GpuModel {
  std::string_view name;                       // "NVIDIA GeForce RTX 4090"; for AMD and Intel the family with examples
  std::string_view chip;                       // NVIDIA: AD102. AMD: the target name, gfx1100. Else empty
  const Architecture* architecture = nullptr;  // NVIDIA only
  std::optional<CudaVersion> compute_capability;  // NVIDIA only, written as a version: 8.9
  bool confirmed = true;                          // false: no document confirmed the row
};

/// The model behind a PCI vendor and device id; nothing for an id that the table does not have (newer cards, other
/// vendors). What the driver answers is better than this. Source: data/tables/gpus.toml.
std::optional<GpuModel> find_gpu(std::uint16_t vendor, std::uint16_t device);

/// The model that people call by this name ("RTX 3060", "GeForce GTX 1660 Ti laptop"); nothing for a name that the table does
/// not have, or that fits models of different compute capability. A laptop's model counts where the name says so.
std::optional<GpuModel> find_gpu_named(std::string_view name);

/// The generation of this id ("pascal"), or nullptr.
const Architecture* find_architecture(std::string_view id);

/// Whether a driver of `branch` knows GPUs of this generation; nothing when the table sets no limit on that side.
/// Kepler: up to 470; Maxwell, Pascal and Volta: up to 580; Blackwell: from 570.
std::optional<bool> is_known_to_branch(const Architecture& architecture, int branch);

}  // namespace gpuway
