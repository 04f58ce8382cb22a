#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "think/rules/chain_builder.h"

namespace gpuway {

/// Where GPU DLLs lie on a Windows machine although the loader may not search there.
struct DllHome {
  std::string folder;
  enum class Owner : std::uint8_t {
    wheel,         // NVIDIA's wheels and torch\lib of the environment
    environment,   // Library\bin of a conda environment
    toolkit,       // bin of an installed CUDA toolkit or cuDNN
    process_path,  // PATH of this process
    new_path,      // PATH that a new terminal would get, which this process does not have
    system,        // System32
  } owner = Owner::system;
};
std::vector<DllHome> dll_homes(ChainBuilder& chain);

/// Files in dll_homes under this name, and under the same name with another version. Wants the listings it lacks.
struct DllElsewhere {
  struct Found {
    std::string path;
    DllHome::Owner owner;
  };
  std::vector<Found> exact, other;
};
DllElsewhere find_dll_elsewhere(ChainBuilder& chain, std::string_view name);

/// "cudart64_110.dll" -> "cudart64": the name without the version; the whole name when it has none.
std::string dll_stem(std::string_view name);
/// CUDA's own libraries, by name.
bool is_cuda_dll(std::string_view name);
bool is_cudnn_dll(std::string_view name);
/// DLLs of the Microsoft C++ runtime.
bool is_cpp_runtime_dll(std::string_view name);

}  // namespace gpuway
