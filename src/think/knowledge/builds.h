#pragma once

#include <span>
#include <string_view>

#include "think/knowledge/cuda.h"

namespace gpuway {

/// A build of a framework that a package index has. Lists are texts: minors of Python and compute capabilities with blanks,
/// requirements with ';' between them. Source: data/tables/builds.toml.
struct FrameworkBuild {
  std::string_view framework, package, version;
  std::string_view system;        // windows | linux
  std::string_view pythons;       // "3.9 3.10 3.11"
  std::string_view gpu;           // cuda | directml | rocm | xpu | none
  CudaVersion cuda;               // that it was built with; 0.0 for a build without
  std::string_view cudnn;         // "8.1", or empty
  std::string_view code, ptx;     // compute capabilities with machine code, and with PTX
  std::string_view install;       // what pip is given
  std::string_view extra;         // pins without which the result does not work
  std::string_view index;         // where the wheels are; empty: PyPI
  std::string_view frozen;        // why no further release comes; empty: one may
  std::string_view fault;         // why it finds no GPU as pip installs it; empty: it does
  bool confirmed = true;          // false: no document confirmed the row
};

/// All of them, in the order of the table.
std::span<const FrameworkBuild> framework_builds();

/// Whether a build has code that a GPU of this compute capability can run: machine code of the same major and no higher minor,
/// or PTX that is not newer (CUDA's rule of binary compatibility).
bool runs_on(const FrameworkBuild& build, CudaVersion compute_capability);

/// The first half of that alone: machine code, so that nothing has to be compiled by the driver first.
bool has_machine_code_for(const FrameworkBuild& build, CudaVersion compute_capability);

/// Whether a driver that announces this CUDA level runs the build: any driver of the same major from CUDA 11 on
/// (minor-version compatibility), the release itself before.
bool is_served_by(const FrameworkBuild& build, CudaVersion driver_level);

}  // namespace gpuway
