#include "think/rules/windows/dll_homes.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "base/text.h"

namespace gpuway {
namespace {

// Folders of NVIDIA's wheels below site-packages (CUDA 11 and 12; CUDA 13 has one for all), and torch's own.
constexpr std::string_view kWheelFolders[] = {
    "nvidia/cublas/bin",   "nvidia/cuda_cupti/bin", "nvidia/cuda_nvrtc/bin", "nvidia/cuda_runtime/bin", "nvidia/cudnn/bin",
    "nvidia/cufft/bin",    "nvidia/curand/bin",     "nvidia/cusolver/bin",   "nvidia/cusparse/bin",     "nvidia/nvjitlink/bin",
    "nvidia/cu13/bin/x86_64", "torch/lib"};

constexpr std::string_view kCudaStems[] = {"cudart64",   "cublas64",  "cublaslt64", "cufft64", "cufftw64",     "curand64",
                                           "cusolver64", "cusparse64", "nvrtc64",   "cupti64", "nvjitlink_",   "cusolvermg64",
                                           "nvrtc-builtins64", "nvblas64", "npp"};

}  // namespace

bool is_cuda_dll(std::string_view name) {
  const auto lower = to_lower(name);
  return std::any_of(std::begin(kCudaStems), std::end(kCudaStems), [&](std::string_view stem) { return lower.starts_with(stem); });
}

bool is_cudnn_dll(std::string_view name) { return to_lower(name).starts_with("cudnn"); }

bool is_cpp_runtime_dll(std::string_view name) {
  const auto lower = to_lower(name);
  return lower.starts_with("vcruntime140") || lower.starts_with("msvcp140") || lower.starts_with("concrt140") || lower.starts_with("vcomp140");
}

std::string dll_stem(std::string_view name) {
  auto stem = to_lower(name);
  if (stem.ends_with(".dll")) stem.resize(stem.size() - 4);
  const auto at = stem.rfind('_');
  const bool numbered = at != std::string::npos && at + 1 < stem.size() && stem.find_first_not_of("0123456789", at + 1) == std::string::npos;
  return numbered ? stem.substr(0, at) : stem;
}

std::vector<DllHome> dll_homes(ChainBuilder& chain) {
  std::vector<DllHome> homes;
  std::set<std::string> seen;
  const auto add = [&](const std::string& folder, DllHome::Owner owner) {
    if (is_absolute(folder) && seen.insert(to_lower(clean_path(folder))).second) homes.push_back({clean_path(folder), owner});
  };
  const auto& snapshot = chain.snapshot();
  for (const auto& folder : chain.environment().search_path) {
    if (folder.origin == "stdlib" || folder.origin == "script" || !folder.exists) continue;
    for (const auto part : kWheelFolders) add(join_path(folder.path, part), DllHome::Owner::wheel);
  }
  // Beside python.exe: searched for its own imports, not for those of a DLL that is loaded by its path.
  if (chain.environment().real_executable.is_known()) {
    add(parent_path(*chain.environment().real_executable), DllHome::Owner::environment);
  }
  if (chain.environment().kind == "conda") add(join_path(chain.environment().path, "Library/bin"), DllHome::Owner::environment);
  if (const auto* path = chain.variable("PATH")) {
    for (const auto& folder : windows_path_list(*path)) add(folder, DllHome::Owner::process_path);
  }
  // Installers of the toolkit leave one variable for every release: CUDA_PATH_V11_2.
  for (const auto& [name, value] : snapshot.variables) {
    if (name == "CUDA_PATH" || name.starts_with("CUDA_PATH_V") || name == "CUDNN_PATH" || name == "CUDNN_HOME") {
      add(from_windows_path(value) + "/bin", DllHome::Owner::toolkit);
    }
  }
  if (snapshot.windows) {
    for (const auto* path : {&snapshot.windows->user_path, &snapshot.windows->machine_path}) {
      if (!path->is_known()) continue;
      for (const auto& folder : windows_path_list(**path)) add(folder, DllHome::Owner::new_path);
    }
    add(snapshot.windows->system_folder, DllHome::Owner::system);
  }
  return homes;
}

DllElsewhere find_dll_elsewhere(ChainBuilder& chain, std::string_view name) {
  DllElsewhere found;
  const auto wanted = to_lower(name), stem = dll_stem(name);
  for (const auto& home : dll_homes(chain)) {
    const auto view = chain.snapshot().folders.find(home.folder);
    if (view == chain.snapshot().folders.end()) {
      chain.wants().folders.emplace(home.folder, true);
      continue;
    }
    for (const auto& entry : view->second.names) {
      if (to_lower(entry) == wanted) {
        found.exact.push_back({join_path(home.folder, entry), home.owner});
      } else if (stem != wanted && dll_stem(entry) == stem && to_lower(entry).ends_with(".dll")) {
        found.other.push_back({join_path(home.folder, entry), home.owner});
      }
    }
  }
  return found;
}

}  // namespace gpuway
