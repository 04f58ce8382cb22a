#include "sense/probes/windows/wsl_distributions.h"

#include "base/path.h"
#include "think/formats/wsl_output.h"
#include "think/model/snapshot.h"
#include "think/model/snapshot_json.h"

namespace gpuway {
namespace {

// How long looking may take besides what a driver library may; starting includes a virtual machine.
constexpr std::chrono::milliseconds kLookLimit{20000};
constexpr std::chrono::milliseconds kStartLimit{90000};
// A Snapshot of a real distribution has some megabytes. All of them together stay below what --from reads.
constexpr std::uint64_t kMaxInsideBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kMaxAllBytes = std::uint64_t{96} << 20;
// `--exec` takes no shell between: what it starts is this. WSL translates the folder given with --cd, which is where the
// program lies; the user's home is where a terminal of the distribution begins, and what is looked through for projects.
constexpr const char* kScript = "p=$PWD; cd; exec \"$p/$0\" \"$@\"";

using Looked = Fact<std::string>;

Looked left_alone(const char* why) { return Looked::undetermined(ErrorCode::not_looked, why, {}); }

// Why a distribution is not looked into, known before anything is started.
const char* reason_against(const WslDistribution& distribution, const DistributionSearch& search) {
  if (distribution.version == 1) return "wsl-1";
  if (distribution.version != 2) return "version-unknown";
  if (distribution.is_a_programs_own() || !distribution.has_plain_name()) return "not-for-people";
  if (distribution.state == "running") return nullptr;
  if (distribution.state != "stopped") return "state";
  return search.start_stopped ? nullptr : "stopped";
}

ProgramRequest question(const WslFacts& wsl, const WslDistribution& distribution, const std::string& folder, const DistributionSearch& search) {
  ProgramRequest request;
  request.arguments = {wsl.path, "-d", distribution.name, "--cd", to_windows_path(folder), "--exec", "/bin/sh", "-c", kScript,
                       kLinuxProgram, "check", "--save", "-", "--timeout",
                       std::to_string(std::chrono::duration_cast<std::chrono::seconds>(search.driver_limit).count())};
  for (const auto& framework : search.frameworks) {
    request.arguments.push_back("--framework");
    request.arguments.push_back(framework);
  }
  request.time_limit = search.driver_limit + (distribution.state == "running" ? kLookLimit : kStartLimit);
  request.output_limit = kMaxInsideBytes;
  return request;
}

// What came instead of a Snapshot: a fault in wsl.exe's own words, or nothing that is known.
std::string fault_in(const ProgramOutput& output) {
  if (const auto text = decode_wsl_output(output.out)) {
    if (auto fault = wsl_fault_in(*text); !fault.empty()) return fault;
  }
  return "exit code " + std::to_string(output.exit_code);
}

// The bytes come from inside the distribution, where anything may answer.
Looked take_answer(const ProgramOutput& output, const DistributionSearch& search, const Source& source, WslDistribution& distribution) {
  if (output.cut) return Looked::undetermined(ErrorCode::too_large, "limit " + std::to_string(kMaxInsideBytes) + " bytes", source);
  if (output.out.empty() || output.out.front() != '{') return Looked::undetermined(ErrorCode::tool_failed, fault_in(output), source);
  auto snapshot = snapshot_from_json(output.out);
  if (!snapshot) return Looked::undetermined(snapshot.error().code, snapshot.error().detail, source);
  if (snapshot->system.family != "linux" || snapshot->windows || snapshot->wsl) return Looked::undetermined(ErrorCode::malformed, "no Snapshot of a Linux", source);
  if (snapshot->taken_by != search.program_version) return Looked::undetermined(ErrorCode::unsupported, "written by gpuway " + snapshot->taken_by, source);
  distribution.inside.push_back(std::move(*snapshot));
  return Looked::known("program", source);
}

}  // namespace

void look_into_distributions(const Host& host, const DistributionSearch& search, WslFacts& wsl) {
  const auto folder = host.program_folder();
  std::uint64_t taken = 0;
  for (auto& distribution : wsl.distributions) {
    if (const auto* reason = reason_against(distribution, search)) {
      distribution.looked = left_alone(reason);
    } else if (folder.empty() || !host.stat(join_path(folder, kLinuxProgram), true)) {
      distribution.looked = left_alone("no-program");
    } else if (folder.starts_with("//")) {
      distribution.looked = left_alone("program-on-a-share");   // WSL mounts the drives with a letter
    } else if (taken + kMaxInsideBytes > kMaxAllBytes) {
      distribution.looked = Looked::undetermined(ErrorCode::too_large, "limit " + std::to_string(kMaxAllBytes) + " bytes", {});
    } else {
      const Source source{Source::Kind::command, "wsl.exe -d " + distribution.name};
      const auto output = host.run_program(question(wsl, distribution, folder, search));
      distribution.looked = output ? take_answer(*output, search, source, distribution) : Looked::from_error(output.error(), source);
      if (output) taken += output->out.size();
    }
  }
}

}  // namespace gpuway
