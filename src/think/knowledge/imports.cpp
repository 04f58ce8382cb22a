#include "think/knowledge/imports.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "think/knowledge/python_pins.h"

namespace gpuway {
namespace {

struct ImportRow {
  std::string_view framework, from, python;
  std::string_view need;    // one letter per name of kNames: '-' 'o' 'h'
  std::string_view shadow;  // '-' 'h' 'b' 'd'
};
struct ModuleRow {
  std::string_view name, distribution;
};
struct StartupRow {
  std::string_view by;
  std::string_view below;  // minor version of Python 3 from which it does not hold any more; empty: always
  std::string_view name;
};
struct KeyFileRow {
  std::string_view framework, path;
};

#include "knowledge/imports_data.inc"

std::optional<std::size_t> index_of(std::string_view module) {
  const auto* found = std::lower_bound(std::begin(kNames), std::end(kNames), module);
  if (found == std::end(kNames) || *found != module) return std::nullopt;
  return static_cast<std::size_t>(found - std::begin(kNames));
}

// Frameworks and their parts, which no measured row lists because they are the thing measured.
constexpr std::array<std::string_view, 27> kFrameworkModules = {"coloredlogs",
                                                                "filelock",
                                                                "fsspec",
                                                                "functorch",
                                                                "google",
                                                                "grpc",
                                                                "h5py",
                                                                "jax",
                                                                "jax_cuda12_plugin",
                                                                "jax_cuda13_plugin",
                                                                "jax_plugins",
                                                                "jaxlib",
                                                                "jinja2",
                                                                "keras",
                                                                "networkx",
                                                                "nvidia",
                                                                "onnxruntime",
                                                                "openvino",
                                                                "optree",
                                                                "scipy",
                                                                "sympy",
                                                                "tensorboard",
                                                                "tensorflow",
                                                                "tf_keras",
                                                                "torch",
                                                                "torchaudio",
                                                                "torchvision"};

constexpr std::array<std::string_view, 44> kDistributions = {"absl-py",
                                                             "dm-tree",
                                                             "flatbuffers",
                                                             "h5py",
                                                             "intel-tensorflow",
                                                             "jax",
                                                             "jax-cuda12-pjrt",
                                                             "jax-cuda12-plugin",
                                                             "jax-cuda13-pjrt",
                                                             "jax-cuda13-plugin",
                                                             "jaxlib",
                                                             "keras",
                                                             "keras-nightly",
                                                             "ml-dtypes",
                                                             "numpy",
                                                             "onnxruntime",
                                                             "onnxruntime-directml",
                                                             "onnxruntime-gpu",
                                                             "onnxruntime-openvino",
                                                             "onnxruntime-rocm",
                                                             "opt-einsum",
                                                             "optree",
                                                             "protobuf",
                                                             "rich",
                                                             "scipy",
                                                             "six",
                                                             "tensorboard",
                                                             "tensorflow",
                                                             "tensorflow-cpu",
                                                             "tensorflow-cpu-aws",
                                                             "tensorflow-directml",
                                                             "tensorflow-directml-plugin",
                                                             "tensorflow-gpu",
                                                             "tensorflow-intel",
                                                             "tensorflow-rocm",
                                                             "tf-keras",
                                                             "tf-nightly",
                                                             "tf-nightly-cpu",
                                                             "tf-nightly-gpu",
                                                             "torch",
                                                             "torchaudio",
                                                             "torchvision",
                                                             "typing-extensions",
                                                             "wrapt"};

ModuleNeed need_of_letter(char letter) {
  return letter == 'h' ? ModuleNeed::hard : letter == 'o' ? ModuleNeed::optional : ModuleNeed::none;
}

ShadowEffect shadow_of_letter(char letter) {
  switch (letter) {
    case 'b': return ShadowEffect::breaks;
    case 'h': return ShadowEffect::harmless;
    case 'd': return ShadowEffect::dies;
    default: return ShadowEffect::none;
  }
}

std::string_view top_of(std::string_view module) { return module.substr(0, module.find('.')); }

}  // namespace

std::optional<ImportKnowledge> ImportKnowledge::of(std::string_view framework, std::string_view version) {
  std::optional<std::size_t> best, oldest;
  const bool readable = !version.empty() && version.front() >= '0' && version.front() <= '9';
  const auto wanted = release_numbers(version);
  for (std::size_t i = 0; i < std::size(kImportRows); ++i) {
    const auto& row = kImportRows[i];
    if (row.framework != framework) continue;
    if (!oldest || compare_versions(row.from, kImportRows[*oldest].from) < 0) oldest = i;
    // A row speaks for its whole minor release, also for patch releases before the measured one.
    auto from = release_numbers(row.from);
    from.resize(std::min<std::size_t>(from.size(), 2));
    if (readable && std::lexicographical_compare(wanted.begin(), wanted.end(), from.begin(), from.end())) continue;
    if (!best || compare_versions(row.from, kImportRows[*best].from) > 0) best = i;
  }
  if (!best) best = oldest;
  if (!best) return std::nullopt;
  const auto from = release_numbers(kImportRows[*best].from);
  const bool exact = wanted.size() >= 2 && from.size() >= 2 && wanted[0] == from[0] && wanted[1] == from[1];
  return ImportKnowledge(*best, exact);
}

std::string_view ImportKnowledge::measured_version() const { return kImportRows[row_].from; }
std::string_view ImportKnowledge::measured_python() const { return kImportRows[row_].python; }

ModuleNeed ImportKnowledge::need(std::string_view module) const {
  const auto index = index_of(module);
  return index ? need_of_letter(kImportRows[row_].need[*index]) : ModuleNeed::none;
}

ShadowEffect ImportKnowledge::shadow(std::string_view module) const {
  const auto index = index_of(module);
  return index ? shadow_of_letter(kImportRows[row_].shadow[*index]) : ShadowEffect::none;
}

std::vector<std::string_view> ImportKnowledge::modules(ModuleNeed wanted) const {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (need_of_letter(kImportRows[row_].need[i]) == wanted) found.push_back(kNames[i]);
  }
  return found;
}

std::vector<std::string_view> ImportKnowledge::asked_modules() const {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (shadow_of_letter(kImportRows[row_].shadow[i]) != ShadowEffect::none) found.push_back(kNames[i]);
  }
  return found;
}

bool is_standard_module(std::string_view module) {
  const auto index = index_of(module);
  return index && kStandard[*index] == 's';
}

std::string distribution_of(std::string_view module) {
  for (const auto& row : kModules) {
    if (row.name == module) return std::string(row.distribution);
  }
  std::string name(module);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool is_loaded_at_start(std::string_view by, int python_minor, std::string_view module) {
  for (const auto& row : kStartup) {
    if (row.by != by || row.name != module) continue;
    if (row.below.empty()) return true;
    const auto below = release_numbers(row.below);
    if (below.size() < 2) continue;
    if (below[0] > 3 || static_cast<std::uint64_t>(python_minor) < below[1]) return true;
  }
  return false;
}

std::vector<std::string_view> key_files(std::string_view framework) {
  std::vector<std::string_view> paths;
  for (const auto& row : kKeyFiles) {
    if (row.framework == framework) paths.push_back(row.path);
  }
  return paths;
}

std::vector<std::string_view> modules_of_interest() {
  std::vector<std::string_view> names(kFrameworkModules.begin(), kFrameworkModules.end());
  for (const auto name : kNames) names.push_back(top_of(name));
  for (const auto& row : kStartup) names.push_back(row.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool only_matters_when_shadowed(std::string_view module) {
  if (std::binary_search(kFrameworkModules.begin(), kFrameworkModules.end(), module)) return false;
  if (is_standard_module(module)) return true;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (top_of(kNames[i]) != module) continue;
    for (const auto& row : kImportRows) {
      if (row.need[i] == 'h') return false;
    }
  }
  return true;
}

std::vector<std::string_view> distributions_of_interest() { return {kDistributions.begin(), kDistributions.end()}; }

}  // namespace gpuway
