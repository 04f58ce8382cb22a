#include "think/rules/python/companion_packages.h"

#include <algorithm>

#include "base/path.h"
#include "think/formats/pep508_requirement.h"
#include "think/formats/python_files.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

struct Pin {
  std::string line;   // as METADATA has it
  VersionSpecifiers specifiers;
};

// The release of torch that a package names for itself. Only an exact one: a range says nothing about compiled parts.
std::optional<Pin> torch_pin(const PythonPackage& package) {
  for (const auto& line : package.requires_dist) {
    const auto requirement = parse_requirement(line);
    if (!requirement || normalized_name(requirement->name) != "torch" || !requirement->marker.steps.empty()) continue;
    const auto& all = requirement->specifiers.all;
    if (all.size() == 1 && all.front().text().starts_with("==")) return Pin{line, requirement->specifiers};
  }
  return std::nullopt;
}

bool is_cpu_build(const PythonPackage& package) {
  return package.version.ends_with("+cpu") || package.conda_build.find("cpu") != std::string::npos;
}

}  // namespace

void judge_torch_companions(ChainBuilder& chain) {
  for (const auto* name : {"torchvision", "torchaudio"}) {
    const auto* package = chain.package(name);
    if (package == nullptr) continue;
    const auto warn = [&](const char* id, const std::string& where, const std::string& what) {
      auto& finding = chain.add(LinkId::wheel, id, Effect::harmless, Severity::warning, Certainty::probable);
      set_args(finding, {{"package", package->name}, {"version", package->version}, {"torch", chain.chain.version}});
      add_evidence(finding, "file", where, what);
      set_next_step(finding, "install-fitting-version", {install_command(chain, {"torch", std::string(name)}, {"--force-reinstall"})});
    };
    if (const auto pin = torch_pin(*package); pin && !admits(pin->specifiers, chain.chain.version)) {
      warn("torch-extension-built-for-other-torch", join_path(package->location, "METADATA"), pin->line);
    } else if (chain.chain.flavour == "cuda" && is_cpu_build(*package)) {
      warn("torchvision-cpu-torch-cuda", package->location, package->version + " " + package->conda_build);
    }
  }
}

}  // namespace gpuway
