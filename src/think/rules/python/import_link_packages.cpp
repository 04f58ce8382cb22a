#include "think/rules/python/import_link_packages.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "base/text.h"
#include "think/formats/pep508_requirement.h"
#include "think/formats/python_files.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

std::vector<std::string> names_of(const std::vector<const PythonPackage*>& packages) {
  std::set<std::string> names;
  for (const auto* package : packages) names.insert(package->name);
  return {names.begin(), names.end()};
}

// All distributions of this framework whose files lie in the folder that wins.
std::vector<const PythonPackage*> sharing(const ChainBuilder& chain, const FrameworkRule& rule,
                                          const std::string& folder) {
  std::vector<const PythonPackage*> found;
  for (const auto* name : rule.distributions) {
    for (const auto* package : chain.packages(name)) {
      if (package->site == parent_path(folder)) found.push_back(package);
    }
  }
  return found;
}

bool is_gpu_onnxruntime(const std::string& name) { return name.find("gpu") != std::string::npos; }

// The package written last owns capi/build_and_package_info.py and the module beside it, which knows its providers.
void judge_onnxruntimes(ChainBuilder& chain, const std::string& folder,
                        const std::vector<const PythonPackage*>& packages) {
  const auto names = names_of(packages);
  if (names.size() < 2) return;
  const auto path = join_path(folder, "capi/build_and_package_info.py");
  const auto* text = chain.text(path);
  if (text == nullptr && chain.text_state(path) == FactState::undetermined) {
    return chain.undetermined(LinkId::import, Effect::no_gpu, path + ": not read");
  }
  const auto last = text == nullptr ? std::string() : python_constant(*text, "package_name");
  const bool gpu_there = std::any_of(names.begin(), names.end(), is_gpu_onnxruntime);
  const bool lost = gpu_there && !last.empty() && !is_gpu_onnxruntime(last);
  auto& finding = chain.add(LinkId::import, "several-onnxruntime-packages", lost ? Effect::no_gpu : Effect::harmless,
                            lost ? Severity::error : Severity::warning);
  set_args(finding, {{"packages", join(names, ", ")}});
  for (const auto* package : packages)
    add_evidence(finding, "folder", package->location, "version " + package->version);
  if (!last.empty()) add_evidence(finding, "file", path, "written last by " + last);
  const auto wanted = std::find_if(names.begin(), names.end(), is_gpu_onnxruntime);
  set_next_step(
      finding, "reinstall-one-package",
      replace_commands(chain, names, {wanted == names.end() ? names.front() : *wanted}));
  for (const auto* package : packages) {
    if (!last.empty() && package->name == last) {
      chain.chain.package = package->name;
      chain.chain.version = package->version;
    }
  }
}

// A package that requires another one of them is a shell around it and brings no files: tensorflow and tensorflow-cpu for
// Windows since 2.10 are, around tensorflow-intel.
std::vector<const PythonPackage*> without_shells(const std::vector<const PythonPackage*>& packages) {
  std::vector<const PythonPackage*> out;
  for (const auto* package : packages) {
    const bool shell = std::any_of(package->requires_dist.begin(), package->requires_dist.end(), [&](const std::string& line) {
      const auto requirement = parse_requirement(line);
      const auto name = requirement ? normalized_name(requirement->name) : std::string();
      return std::any_of(packages.begin(), packages.end(), [&](const PythonPackage* other) { return other != package && other->name == name; });
    });
    if (!shell) out.push_back(package);
  }
  return out;
}

void judge_tensorflows(ChainBuilder& chain, const std::string& folder, const std::vector<const PythonPackage*>& all) {
  const auto packages = without_shells(all);
  const auto names = names_of(packages);
  if (names.size() < 2) return;
  const auto path = join_path(folder, "python/platform/build_info.py");
  const auto* text = chain.text(path);
  if (text == nullptr && chain.text_state(path) == FactState::undetermined) {
    return chain.undetermined(LinkId::import, Effect::no_gpu, path + ": not read");
  }
  const bool cuda = text != nullptr && python_constant(*text, "is_cuda_build") == "True";
  const bool cuda_there = std::any_of(names.begin(), names.end(),
                                      [](const std::string& name) { return name.find("cpu") == std::string::npos; });
  const bool lost = text != nullptr && !cuda && cuda_there;
  const bool same_version = std::all_of(packages.begin(), packages.end(), [&](const PythonPackage* p) {
    return p->version == packages.front()->version;
  });
  auto& finding = chain.add(LinkId::import, "conflicting-tensorflow-packages", lost ? Effect::no_gpu : Effect::harmless,
                            lost                   ? Severity::error
                            : same_version && cuda ? Severity::note
                                                   : Severity::warning);
  set_args(finding, {{"packages", join(names, ", ")}});
  for (const auto* package : packages)
    add_evidence(finding, "folder", package->location, "version " + package->version);
  if (text != nullptr)
    add_evidence(finding, "file", path,
                 cuda ? "the files are those of a CUDA build" : "the files are those of a build without CUDA");
  set_next_step(finding, "reinstall-one-package",
                replace_commands(chain, names, {"tensorflow[and-cuda]"}));
}

// The same distribution recorded by conda and by another installer, in different versions: one wrote over the other.
void judge_conda_and_pip(ChainBuilder& chain, const PythonPackage* winner) {
  if (winner == nullptr) return;
  const PythonPackage *conda = nullptr, *other = nullptr;
  for (const auto* package : chain.packages(winner->name)) {
    if (!package->conda_build.empty()) {
      conda = package;
    } else if (package->installer != "conda") {
      other = package;
    }
  }
  if (conda == nullptr || other == nullptr || conda->version == other->version) return;
  auto& finding = chain.add(LinkId::import, "conda-and-pip-mixed", Effect::harmless, Severity::warning);
  set_args(finding, {{"package", winner->name}});
  add_evidence(finding, "file", conda->location, "conda's record: " + conda->version + " " + conda->conda_build);
  add_evidence(finding, "folder", other->location,
               (other->installer.empty() ? std::string("another installer") : other->installer) +
                   "'s record: " + other->version);
  set_next_step(finding, "recreate-environment",
                {"conda create --name NEW python=" + chain.environment().version.value_or("3")});
}

}  // namespace

void judge_distributions(ChainBuilder& chain, const FrameworkRule& rule, const std::string& folder,
                         const PythonPackage* winner) {
  const auto packages = sharing(chain, rule, folder);
  if (chain.chain.framework == "onnxruntime") judge_onnxruntimes(chain, folder, packages);
  if (chain.chain.framework == "tensorflow") judge_tensorflows(chain, folder, packages);
  judge_conda_and_pip(chain, winner);
}

void judge_leftovers(ChainBuilder& chain, const FrameworkRule& rule) {
  for (const auto& path : chain.environment().leftovers) {
    // pip replaces the first letter by '~': ~orch, ~ensorflow, ~nnxruntime_gpu-1.18.1.dist-info.
    const auto name = file_name(path).substr(1);
    const bool ours =
        std::any_of(rule.distributions.begin(), rule.distributions.end(),
                    [&](const char* distribution) {
                      std::string stem = std::string(distribution).substr(1);
                      std::replace(stem.begin(), stem.end(), '-', '_');
                      return name == stem || (name.starts_with(stem + "-") && name.ends_with(".dist-info"));
                    }) ||
        name == std::string_view(rule.module).substr(1);
    if (!ours) continue;
    auto& finding = chain.add(LinkId::import, "leftover-package-folder", Effect::harmless, Severity::note);
    set_args(finding, {{"path", path}});
    add_evidence(finding, "folder", path, "a name that pip gives to folders it is about to remove");
    set_next_step(finding, "delete-leftover", {(chain.snapshot().windows ? "Remove-Item -Recurse " : "rm -r ") + shell_word(path)});
  }
}

}  // namespace gpuway
