#include "think/rules/gpu/cudnn_age.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/formats/pep508_requirement.h"
#include "think/formats/python_files.h"
#include "think/knowledge/python_pins.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

struct Version {
  std::string text;
  std::string where;   // the file that tells it
};



// cuDNN's files tell their version by the wheel that brought them or, from NVIDIA's archives and packages, by the name
// of the file that the SONAME leads to: libcudnn.so.9.1.0.
std::optional<Version> version_of(const ChainBuilder& chain, const std::string& path) {
  const auto folder = collapse_path(parent_path(path));
  for (const auto& package : chain.environment().packages) {
    if (!package.name.starts_with("nvidia-cudnn-cu") || package.site.empty()) continue;
    if (collapse_path(join_path(package.site, "nvidia/cudnn/lib")) == folder) return Version{package.version, package.location};
  }
  const auto view = chain.snapshot().binaries.find(path);
  const auto real = view == chain.snapshot().binaries.end() || view->second.real_path.empty() ? path : view->second.real_path;
  constexpr std::string_view prefix = "libcudnn.so.";
  const auto name = file_name(real);
  if (!name.starts_with(prefix) || split(name.substr(prefix.size()), '.').size() < 2) return std::nullopt;
  return Version{std::string(name.substr(prefix.size())), real};
}

// The lowest cuDNN that the distribution names, with or without an extra.
std::optional<Version> floor_of(const PythonPackage& owner, int cudnn_major) {
  for (const auto& line : owner.requires_dist) {
    const auto requirement = parse_requirement(line);
    if (!requirement || !normalized_name(requirement->name).starts_with("nvidia-cudnn-cu")) continue;
    for (const auto& condition : requirement->specifiers.all) {
      const auto text = condition.text();
      if (!text.starts_with(">=") && !text.starts_with("==") && !text.starts_with("~=")) continue;
      const auto version = text.substr(2);
      if (release_numbers(version).size() >= 2 && release_numbers(version)[0] == static_cast<std::uint64_t>(cudnn_major)) {
        return Version{version, line};
      }
    }
  }
  return std::nullopt;
}

// Up to the minor release; later numbers do not matter to the frameworks.
std::vector<std::uint64_t> minor_release(const std::string& version) {
  auto numbers = release_numbers(version);
  numbers.resize(2);
  return numbers;
}

}  // namespace

void judge_cudnn_age(ChainBuilder& chain, PythonProcess& process, const PythonPackage* owner, int cudnn_major, Effect effect) {
  const auto index = process.loader().find_loaded("libcudnn.so." + std::to_string(cudnn_major));
  if (index < 0 || owner == nullptr) return;
  const auto path = process.loader().objects()[static_cast<std::size_t>(index)].path;
  const auto have = version_of(chain, path);
  const auto needs = floor_of(*owner, cudnn_major);
  if (!have || !needs || minor_release(have->text) >= minor_release(needs->text)) return;
  auto& finding = chain.add(LinkId::gpu_libraries, "cudnn-too-old-at-runtime", effect,
                            effect == Effect::harmless ? Severity::warning : Severity::error, Certainty::probable);
  set_args(finding, {{"framework", chain.chain.framework}, {"version", chain.chain.version}, {"have", have->text}, {"needs", needs->text}});
  add_evidence(finding, "file", path, "loaded");
  add_evidence(finding, "file", have->where, "cuDNN " + have->text);
  add_evidence(finding, "file", join_path(owner->location, "METADATA"), needs->where);
  set_next_step(finding, "update-cudnn", {install_command(chain, {cudnn_distribution(chain) + ">=" + needs->text})});
}

}  // namespace gpuway
