#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "think/knowledge/cuda.h"

namespace gpuway {

/// When a framework opens a library.
enum class LoadStage : unsigned char { import, devices };

/// One library that a framework opens by name.
struct LoadRow {
  std::string_view framework, system;   // system: linux | windows
  CudaVersion since, before;            // releases of the framework: since <= release < before
  LoadStage stage = LoadStage::import;
  std::string_view library;             // a CUDA library's name (cublas), "cudnn", or a file's name
  bool harmless = false;                // without it the GPU is seen all the same
};

/// Which of a framework's own objects open the libraries and hold the GPU code.
struct HolderRow {
  std::string_view framework, system;
  CudaVersion since, before;
  std::string_view opens, code;         // file names
};

/// What a release of a framework opens at a stage, in order. Source: data/tables/loads.toml.
std::vector<const LoadRow*> loads_of(std::string_view framework, std::string_view system, CudaVersion release, LoadStage stage);

/// The objects that do it; null for releases without GPU libraries.
const HolderRow* holder_of(std::string_view framework, std::string_view system, CudaVersion release);

/// The name of the file of a CUDA release's library: ("linux", "cusolver", 12.5) -> libcusolver.so.11, ("windows", "cudart",
/// 11.2) -> cudart64_110.dll. Empty for a library that the table does not have or that the release did not have.
std::string cuda_library_file(std::string_view system, std::string_view library, CudaVersion cuda);

/// The same for what LoadRow::library says; `cudnn_major` is the release of cuDNN.
std::string file_of_load(const LoadRow& row, CudaVersion cuda, int cudnn_major);

}  // namespace gpuway
