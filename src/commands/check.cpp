#include "commands/check.h"

#include <algorithm>
#include <optional>
#include <ostream>

#include "base/text.h"
#include "commands/look.h"
#include "say/render/json.h"
#include "say/render/text.h"
#include "think/knowledge/interests.h"
#include "think/model/snapshot_json.h"
#include "think/routes/resolve.h"
#include "think/routes/route_machine.h"

namespace gpuway {
namespace {

// The names by which people call a framework, in --framework and --expect alike.
std::string full_name(const std::string& name) { return name == "torch" ? "pytorch" : name == "ort" ? "onnxruntime" : name; }

// `--expect tensorflow:gpu`: every chain of the framework must see the GPU, and there must be one. Distributions of WSL are
// other machines: what is expected of them is asked inside.
bool expectations_hold(const CheckOptions& options, const Answer& answer, const Messages& messages, std::ostream& err) {
  bool hold = true;
  for (const auto& expectation : options.expectations) {
    const auto colon = expectation.find(':');
    const auto framework = full_name(expectation.substr(0, colon)), want = expectation.substr(colon + 1);
    std::string fault = "expected-not-there", have;
    bool fits = false;
    for (const auto& chain : answer.chains) {
      if (chain.framework != framework || !chain.distribution.empty()) continue;
      const bool gpu = chain.sees_gpu == Verdict::yes && chain.can_compute != Verdict::no;
      fits = want == "gpu" ? gpu : chain.imports == Verdict::yes;
      have = std::string(to_word(want == "gpu" ? chain.sees_gpu : chain.imports));
      fault = want == "gpu" && chain.sees_gpu == Verdict::yes ? "expected-no-compute" : "expected";
      if (!fits) break;
    }
    if (fits) continue;
    hold = false;
    err << "gpuway: " << messages.word(fault, {{"framework", framework}, {"want", want}, {"have", have}}) << "\n";
  }
  return hold;
}

// The best way to a GPU for the first framework on this system that an error keeps from it; nothing where mending what is there
// is that way, or an environment inside WSL that works, which the finding itself tells, or where nothing but the CPU is left.
std::optional<Route> best_other_way(const Snapshot& snapshot, const Answer& answer) {
  const auto fault = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const Finding& finding) {
    return finding.severity == Severity::error && finding.chain >= 0 && finding.distribution.empty() && answer.chains[static_cast<std::size_t>(finding.chain)].framework != "keras";
  });
  if (fault == answer.findings.end() || fault->next_step.id == "use-wsl-environment") return std::nullopt;
  RouteWishes wishes;
  wishes.framework = answer.chains[static_cast<std::size_t>(fault->chain)].framework;
  auto routes = resolve_routes(route_machine_of(snapshot, answer), wishes);
  const auto& best = routes.front();
  if (best.place == "here" || best.gpu == "none" || best.verdict == RouteVerdict::refused) return std::nullopt;
  return best;
}

bool known_framework(const std::string& name) {
  constexpr std::string_view known[] = {"tensorflow", "pytorch", "jax", "onnxruntime", "keras"};
  return std::find(std::begin(known), std::end(known), name) != std::end(known);
}

}  // namespace

int run_check(const CheckOptions& options, Program& program) {
  const Messages messages(options.language.empty() ? language_of_environment(program.host.environment(), program.terminal.language) : options.language);
  JudgeOptions judging;
  for (const auto& name : options.frameworks) {
    const auto framework = full_name(name);
    if (!known_framework(framework)) {
      program.err << "gpuway: unknown framework \"" << printable(name) << "\": expected tensorflow, pytorch, jax, onnxruntime or keras\n";
      return kUsage;
    }
    judging.frameworks.push_back(framework);
  }
  for (const auto& expectation : options.expectations) {
    const auto colon = expectation.find(':');
    const auto want = colon == std::string::npos ? "" : expectation.substr(colon + 1);
    if (!known_framework(full_name(expectation.substr(0, colon))) || (want != "gpu" && want != "cpu")) {
      program.err << "gpuway: --expect " << printable(expectation) << ": expected NAME:gpu or NAME:cpu, NAME being tensorflow, pytorch, jax, onnxruntime or keras\n";
      return kUsage;
    }
  }
  if (options.save == "-" && options.json) {
    program.err << "gpuway: --save - and --json both write to stdout: choose one\n";
    return kUsage;
  }
  std::vector<std::string> not_found;
  auto looked = look(options, judging, program, not_found);
  if (!looked) {
    program.err << "gpuway: " << printable(looked.error().text()) << "\n";
    return kUnfinished;
  }
  for (const auto& path : not_found) {
    program.err << "gpuway: --env " << printable(path) << ": no Python environment there (no bin/python, no .venv)\n";
  }
  if (!not_found.empty()) return kUsage;
  // For a program that reads it: the Snapshot takes the answer's place.
  const bool only_snapshot = options.save == "-";
  if (!options.save.empty() && !only_snapshot) {
    if (const auto saved = program.files.replace_file(options.save, snapshot_to_json(looked->snapshot)); !saved) {
      program.err << "gpuway: " << printable(options.save) << ": " << saved.error().text() << "\n";
      return kUnfinished;
    }
  }
  const auto& answer = looked->answer;
  if (only_snapshot) {
    program.out << snapshot_to_json(looked->snapshot);
  } else if (options.json) {
    program.out << render_check_json(answer, looked->snapshot, GPUWAY_VERSION, knowledge_date());
  } else {
    TextOptions text;
    text.width = program.terminal.width;
    text.colour = options.colour == "always" || (options.colour == "auto" && program.terminal.out_is_terminal && !program.terminal.no_colour);
    text.verbose = options.verbose;
    text.all = options.all;
    text.quiet = options.quiet;
    const auto best = best_other_way(looked->snapshot, answer);
    text.best_route = best ? &*best : nullptr;
    program.out << render_check_text(answer, looked->snapshot, messages, text);
  }
  program.out.flush();
  if (!program.out) {
    program.err << "gpuway: the answer could not be written\n";
    return kUnfinished;
  }
  if (!expectations_hold(options, answer, messages, program.err)) return kFindings;
  const bool errors = std::any_of(answer.findings.begin(), answer.findings.end(), [](const Finding& f) { return f.severity == Severity::error; });
  return errors ? kFindings : kFine;
}

}  // namespace gpuway
