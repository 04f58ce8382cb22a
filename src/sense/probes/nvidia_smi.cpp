#include "sense/probes/nvidia_smi.h"

#include "base/path.h"
#include "base/text.h"
#include "think/formats/system_files.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxFolders = 64, kMaxOutput = 64 << 10;
constexpr std::chrono::milliseconds kTimeLimit{5000};

bool may_run(const Host& host, const std::string& path) {
  const auto stat = host.stat(path, true);
  return stat && stat->kind == FileKind::regular && (stat->mode & 0111) != 0;
}

std::string outcome_word(ErrorCode code) {
  switch (code) {
    case ErrorCode::timed_out: return "timed-out";
    case ErrorCode::access_denied: return "denied";
    case ErrorCode::not_found: return "absent";
    default: return "crashed";
  }
}

}  // namespace

std::string find_nvidia_smi(const Host& host) {
  if (!host.is_live()) return {};
  std::size_t folders = 0;
  if (const auto path = host.environment().find("PATH"); path != host.environment().end()) {
    for (const auto folder : split(path->second, ':')) {
      if (!is_absolute(folder) || ++folders > kMaxFolders) continue;
      auto program = join_path(folder, "nvidia-smi");
      if (may_run(host, program)) return program;
    }
  }
  for (const auto* program : {"/usr/bin/nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi"}) {
    if (may_run(host, program)) return program;
  }
  return {};
}

void ask_nvidia_smi(const Host& host, std::chrono::milliseconds limit, Snapshot& snapshot) {
  auto& driver = snapshot.driver;
  const Source source{Source::Kind::command, driver.smi_program};
  ProbeOutcome probe;
  probe.id = "nvidia-smi";
  probe.outcome = "ok";
  const auto start = host.clock_ms();
  const auto ended = host.run_program({{driver.smi_program}, std::min(limit, kTimeLimit), kMaxOutput});
  probe.ms = host.clock_ms() - start;
  const auto undetermined = [&](ErrorCode code, const std::string& detail, std::string word) {
    driver.smi_text = Fact<std::string>::undetermined(code, detail, source);
    probe.outcome = std::move(word);
    probe.detail = detail;
  };
  if (!ended) {
    undetermined(ended.error().code, ended.error().detail, outcome_word(ended.error().code));
  } else if (ended->cut) {
    undetermined(ErrorCode::too_large, "more than " + std::to_string(kMaxOutput) + " bytes", "malformed");
  } else if (ended->exit_code > 128) {
    undetermined(ErrorCode::crashed, "signal " + std::to_string(ended->exit_code - 128), "crashed");
  } else {
    auto text = summarize_nvidia_smi(ended->out, ended->exit_code);
    if (text.empty()) {
      undetermined(ErrorCode::malformed, "no line with versions", "malformed");
    } else {
      driver.smi_text = Fact<std::string>::known(std::move(text), source);
      auto version = parse_nvidia_smi(ended->out).driver;
      driver.smi_driver_version =
          version.empty() ? Fact<std::string>::absent(source) : Fact<std::string>::known(std::move(version), source);
    }
  }
  snapshot.probes.push_back(std::move(probe));
}

}  // namespace gpuway
