#include "think/rules/judge.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "base/path.h"

#include "think/knowledge/findings.h"
#include "think/rules/chain_builder.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/machine.h"
#include "think/rules/wsl/wsl_config_findings.h"
#include "think/rules/wsl/wsl_join.h"

namespace gpuway {
namespace {

bool chosen(const JudgeOptions& options, std::string_view framework) {
  return options.frameworks.empty() ||
         std::find(options.frameworks.begin(), options.frameworks.end(), framework) != options.frameworks.end();
}

// A framework is in an environment when a distribution of it is installed or its module can be imported from there.
bool is_installed(const ChainBuilder& chain, const FrameworkRule& rule) {
  for (const auto* name : rule.distributions) {
    if (chain.package(name) != nullptr) return true;
  }
  const auto* module = chain.import_of(rule.module);
  return module != nullptr && module->kind == ImportCandidate::Kind::package;
}

// nvidia-smi knows nothing that a working driver library does not tell. About one that does not work, or that is not
// there, it says in words people search for what is wrong, and which driver the kernel has.
void want_nvidia_smi(const Snapshot& snapshot, Wants& wants) {
  const auto& driver = snapshot.driver;
  const bool asked = !driver.smi_text.is_undetermined() || driver.smi_text.reason != ErrorCode::not_looked;
  const bool works = std::any_of(driver.reports.begin(), driver.reports.end(), [](const auto& row) {
    return row.second.device_count.value_or(0) > 0 || row.second.device_count_unmasked.value_or(0) > 0;
  });
  // Everything else comes first: the driver may be among what is still wanted.
  if (snapshot.live && !driver.smi_program.empty() && !asked && !works && wants.empty()) wants.nvidia_smi = true;
}

// What nvidia-smi said, beside the faults of the links that it knows about.
void add_nvidia_smi(const Snapshot& snapshot, Answer& answer) {
  if (!snapshot.driver.smi_text.is_known()) return;
  for (const auto& chain : answer.chains) {
    for (const auto& link : chain.links) {
      const bool its = link.id == "driver-library" || link.id == "driver-version" || link.id == "device";
      if (!its) continue;
      for (auto& finding : answer.findings) {
        // A key may stand in two chains, Keras and its backend: the evidence is told once.
        const Evidence row{"command", snapshot.driver.smi_program, *snapshot.driver.smi_text};
        if (finding.id == "no-nvidia-gpu" || std::find(link.findings.begin(), link.findings.end(), finding.key) == link.findings.end() ||
            std::find(finding.evidence.begin(), finding.evidence.end(), row) != finding.evidence.end())
          continue;
        finding.evidence.push_back(row);
      }
    }
  }
}

// Whether two findings are about the same thing; whom they speak of by name and release is no matter.
bool says_the_same(const Finding& one, const Finding& other) {
  const auto subject = [](const Finding& finding) {
    auto args = finding.args;
    args.erase("framework");
    args.erase("version");
    return args;
  };
  return one.id == other.id && subject(one) == subject(other);
}

// Closes a chain into the answer. Keras computes where its backend computes: a finding that the backend's chain already
// tells is referred to, not told again.
void close_chain(ChainBuilder& builder, const std::string& environment, Answer& answer) {
  std::vector<Finding> own;
  auto chain = builder.finish(static_cast<int>(answer.chains.size()), own);
  std::map<std::string, std::string> renamed;
  for (auto& finding : own) {
    assert(fault_of(finding).empty() && "a finding that contradicts data/tables/findings.toml");
    const auto told = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const Finding& other) {
      if (chain.framework != "keras" || other.chain < 0 || !says_the_same(other, finding)) return false;
      // Both Keras and its backend may say it in this very chain, which is not in the answer yet.
      const auto index = static_cast<std::size_t>(other.chain);
      return index == answer.chains.size() || answer.chains[index].environment == environment;
    });
    const auto old_key = finding.key;
    if (told != answer.findings.end()) {
      renamed[old_key] = told->key;
      continue;
    }
    finding.key = finding.id + "#" + std::to_string(answer.findings.size());
    renamed[old_key] = finding.key;
    answer.findings.push_back(std::move(finding));
  }
  const auto rename = [&](std::vector<std::string>& keys) {
    std::vector<std::string> out;
    for (const auto& key : keys) {
      const auto& now = renamed.at(key);
      if (std::find(out.begin(), out.end(), now) == out.end()) out.push_back(now);
    }
    keys = std::move(out);
  };
  rename(chain.findings);
  for (auto& link : chain.links) rename(link.findings);
  answer.chains.push_back(std::move(chain));
}

// Whatever is a path of Windows is told as Windows writes it. Behind the path of a library may stand the function that was called.
std::string spelled(const std::string& text) {
  const auto call = text.find(": ", 3);
  if (!is_windows_path(text)) return text;
  return shown_path(text.substr(0, call)) + (call == std::string::npos ? std::string() : text.substr(call));
}

void spell_windows_paths(Answer& answer) {
  for (auto& finding : answer.findings) {
    for (auto& [name, value] : finding.args) {
      if (auto* text = std::get_if<std::string>(&value)) *text = spelled(*text);
      if (auto* list = std::get_if<std::vector<std::string>>(&value)) {
        for (auto& text : *list) text = spelled(text);
      }
    }
    for (auto& row : finding.evidence) row.where = spelled(row.where);
    for (auto& place : finding.searched) place.path = spelled(place.path);
  }
  for (auto& chain : answer.chains) {
    for (auto& link : chain.links) {
      for (auto& reason : link.reasons) reason = spelled(reason);
    }
  }
}

}  // namespace

// The machine's own libcuda, as a plain program would get it: asked once even when no framework leads to it.
void gather_machine_wants(const Snapshot& snapshot, Wants& wants) {
  if (!snapshot.live) return;
  std::string path;
  if (snapshot.windows) {
    path = snapshot.windows->system_folder + "/nvcuda.dll";
    if (snapshot.driver.reports.contains(path)) return;
    const auto file = snapshot.binaries.find(path);
    if (file == snapshot.binaries.end()) {
      wants.binaries.emplace(path, true);
    } else if (file->second.outcome == BinaryView::Outcome::pe) {
      wants.driver_reports.emplace(path, Wants::DriverQuestion{path, "nvml.dll"});
    }
    return;
  }
  if (snapshot.loader_cache.is_known()) {
    for (const auto& entry : snapshot.loader_cache->entries) {
      if (entry.soname == "libcuda.so.1" && entry.hwcap.empty()) {
        path = entry.path;
        break;
      }
    }
  }
  if (path.empty() || snapshot.driver.reports.contains(path)) return;
  wants.driver_reports.emplace(path, Wants::DriverQuestion{path, "libnvidia-ml.so.1"});
}

namespace {

Answer judge_one_machine(const Snapshot& snapshot, const JudgeOptions& options, Wants& wants) {
  Answer answer;
  gather_machine_wants(snapshot, wants);
  const auto presence = nvidia_presence(snapshot);
  for (const auto& environment : snapshot.environments) {
    for (const auto& rule : framework_rules()) {
      if (!chosen(options, rule.framework)) continue;
      ChainBuilder chain(snapshot, environment, rule.framework, wants);
      if (!is_installed(chain, rule)) continue;
      judge_framework(chain, rule);
      if (presence.state == GpuPresence::State::absent) chain.settle_without_gpu(presence.evidence);
      close_chain(chain, environment.id, answer);
    }
  }
  add_ignored_settings(snapshot, answer);
  want_nvidia_smi(snapshot, wants);
  add_nvidia_smi(snapshot, answer);
  answer.machine = summarize_machine(snapshot);
  if (snapshot.windows) spell_windows_paths(answer);
  return answer;
}

}  // namespace

Answer judge(const Snapshot& snapshot, const JudgeOptions& options, Wants& wants) {
  auto answer = judge_one_machine(snapshot, options, wants);
  if (!snapshot.wsl) return answer;
  for (std::size_t i = 0; i < snapshot.wsl->distributions.size(); ++i) {
    const auto& distribution = snapshot.wsl->distributions[i];
    if (distribution.inside.empty()) continue;
    Wants out_of_reach;   // what was not looked at inside stays undetermined
    join_distribution(i, judge_one_machine(distribution.inside.front(), options, out_of_reach), answer);
  }
  lead_to_what_works(snapshot, answer);
  return answer;
}

std::set<ChainId> gather_wants(const Snapshot& snapshot, const PythonEnvironment& environment, const JudgeOptions& options,
                               const std::set<ChainId>* waiting, Wants& wants) {
  std::set<ChainId> still;
  for (const auto& rule : framework_rules()) {
    ChainId id{environment.id, rule.framework};
    if (!chosen(options, rule.framework) || (waiting != nullptr && !waiting->contains(id))) continue;
    Wants own;
    ChainBuilder chain(snapshot, environment, rule.framework, own);
    if (!is_installed(chain, rule)) continue;
    // Most of what it wants, the other chain is already asking for.
    const bool later = rule.stands_on_others && !still.empty();
    if (!later) judge_framework(chain, rule);
    if (!later && own.empty()) continue;
    wants.merge(own);
    still.insert(std::move(id));
  }
  return still;
}

}  // namespace gpuway
