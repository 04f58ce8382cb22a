#include "think/rules/wsl/wsl_config_findings.h"

#include <algorithm>

#include "base/path.h"
#include "think/rules/chain_builder.h"

namespace gpuway {
namespace {

constexpr std::size_t kLinesTold = 8;

// What is wrong with a line, in the words of the data.
std::string words_for(const WslConfigProblem& problem) {
  const auto kind = problem.kind;
  if (kind == "unknown-key" && !problem.detail.empty()) return problem.key + ": unknown, " + problem.detail + " is known";
  if (kind == "unknown-key") return problem.key + ": unknown";
  if (kind == "wrong-section") return problem.key + ": belongs to [" + problem.detail + "]";
  if (kind == "bad-value") return problem.key + "=" + problem.detail + ": not a value of this setting";
  if (kind == "duplicate") return problem.key + ": the line before it counts";
  return problem.key.empty() ? kind : problem.key + ": " + kind;
}

Finding& add(const std::string& path, Severity severity, Certainty certainty, Answer& answer) {
  auto& finding = answer.findings.emplace_back();
  finding.id = "wslconfig-ignored";
  finding.key = finding.id + "#" + std::to_string(answer.findings.size() - 1);
  finding.severity = severity;
  finding.certainty = certainty;
  set_args(finding, {{"path", path}});
  return finding;
}

// A file in UTF-16 counted for nothing in a release of 2021 (github.com/microsoft/WSL/issues/7851); no source says since
// when, or whether, that changed.
void add_problems(const WslConfig& config, Answer& answer) {
  const auto unread = std::find_if(config.problems.begin(), config.problems.end(), [](const WslConfigProblem& row) { return row.kind == "encoding"; });
  if (unread != config.problems.end()) {
    auto& finding = add(config.path, Severity::warning, Certainty::probable, answer);
    add_evidence(finding, "file", config.path, config.encoding == "utf-16" ? "written as UTF-16" : "not UTF-8");
    set_next_step(finding, "save-as-utf-8", {});
    return;
  }
  if (config.problems.empty()) return;
  auto& finding = add(config.path, Severity::note, Certainty::proven, answer);
  for (std::size_t i = 0; i < config.problems.size() && i < kLinesTold; ++i) {
    const auto& row = config.problems[i];
    add_evidence(finding, "file", config.path + (row.line > 0 ? ":" + std::to_string(row.line) : ""), words_for(row));
  }
  set_next_step(finding, "correct-wslconfig", {});
}

}  // namespace

void add_ignored_settings(const Snapshot& snapshot, Answer& answer) {
  if (snapshot.wsl) {
    const auto& wsl = *snapshot.wsl;
    if (wsl.config.is_known()) add_problems(*wsl.config, answer);
    if (wsl.config.is_absent() && !wsl.other_configs.empty()) {
      const auto& path = wsl.other_configs.front();
      auto& finding = add(path, Severity::note, Certainty::proven, answer);
      add_evidence(finding, "file", path, "a name that WSL does not read");
      set_next_step(finding, "rename-wslconfig", {});
    }
  }
  if (snapshot.around) {
    for (const auto* config : {&snapshot.around->config, &snapshot.around->distribution_config}) {
      if (config->is_known()) add_problems(**config, answer);
    }
  }
}

}  // namespace gpuway
