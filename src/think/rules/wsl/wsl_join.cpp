#include "think/rules/wsl/wsl_join.h"

#include <algorithm>
#include <map>

#include "base/path.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

const PythonEnvironment* environment_of(const Snapshot& snapshot, const Chain& chain) {
  for (const auto& distribution : snapshot.wsl->distributions) {
    if (distribution.name != chain.distribution || distribution.inside.empty()) continue;
    for (const auto& environment : distribution.inside.front().environments) {
      if (environment_id(distribution.name, environment.id) == chain.environment) return &environment;
    }
  }
  return nullptr;
}

bool is_about_wslconfig(const Finding& finding) {
  if (finding.id != "wslconfig-ignored" || finding.chain >= 0) return false;
  const auto* path = std::get_if<std::string>(&finding.args.at("path"));
  return path != nullptr && file_name(*path) == ".wslconfig";
}

}  // namespace

void join_distribution(std::size_t index, Answer inside, Answer& answer) {
  auto& place = answer.machine.wsl->distributions.at(index);
  const auto first_chain = static_cast<int>(answer.chains.size());
  std::map<std::string, std::string> renamed;
  for (auto& finding : inside.findings) {
    // The file is one and the same: Windows has told of it already.
    if (is_about_wslconfig(finding)) continue;
    auto key = finding.id + "#" + std::to_string(answer.findings.size());
    renamed[finding.key] = key;
    finding.key = std::move(key);
    finding.distribution = place.name;
    if (finding.chain >= 0) finding.chain += first_chain;
    answer.findings.push_back(std::move(finding));
  }
  const auto rename = [&](std::vector<std::string>& keys) {
    for (auto& key : keys) key = renamed.at(key);
  };
  for (auto& chain : inside.chains) {
    chain.environment = environment_id(place.name, chain.environment);
    chain.distribution = place.name;
    rename(chain.findings);
    for (auto& link : chain.links) rename(link.findings);
    answer.chains.push_back(std::move(chain));
  }
  place.inside.push_back(std::move(inside.machine));
}

void lead_to_what_works(const Snapshot& snapshot, Answer& answer) {
  for (auto& finding : answer.findings) {
    if (finding.next_step.id != "enter-wsl" || finding.chain < 0 || !finding.distribution.empty()) continue;
    const auto& framework = answer.chains[static_cast<std::size_t>(finding.chain)].framework;
    const auto works = std::find_if(answer.chains.begin(), answer.chains.end(), [&](const Chain& chain) {
      return !chain.distribution.empty() && chain.framework == framework && chain.imports == Verdict::yes &&
             chain.sees_gpu == Verdict::yes && chain.can_compute == Verdict::yes;
    });
    if (works == answer.chains.end()) continue;
    const auto* environment = environment_of(snapshot, *works);
    if (environment == nullptr || environment->executable.empty()) continue;
    add_evidence(finding, "command", "wsl.exe -d " + works->distribution, environment->path + ": " + framework + " " + works->version);
    set_next_step(finding, "use-wsl-environment", {"wsl.exe -d " + works->distribution + " --exec " + shell_word(environment->executable)});
  }
}

}  // namespace gpuway
