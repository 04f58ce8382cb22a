#include "think/routes/route_machine.h"

#include <algorithm>
#include <charconv>

#include "think/knowledge/gpus.h"

namespace gpuway {
namespace {

// "8.6" out of the answer, or nothing known.
void read_capability(const std::string& text, RouteMachine::Gpu& gpu) {
  const auto* end = text.data() + text.size();
  const auto [dot, fault] = std::from_chars(text.data(), end, gpu.major);
  if (fault == std::errc() && dot != end) std::from_chars(dot + 1, end, gpu.minor);
}

std::string minor_of(const std::string& version) {
  const auto dot = version.find('.');
  if (dot == std::string::npos) return {};
  return version.substr(0, version.find('.', dot + 1));
}

void add_gpus(const Snapshot& snapshot, const MachineSummary& summary, RouteMachine& out) {
  for (const auto& row : summary.gpus) {
    RouteMachine::Gpu gpu{row.name, row.vendor, "", 0, 0};
    read_capability(row.compute_capability, gpu);
    if (const auto model = find_gpu_named(row.name); row.vendor == "nvidia" && model && model->architecture != nullptr) gpu.architecture = model->architecture->id;
    out.gpus.push_back(std::move(gpu));
  }
  const bool buses_seen = snapshot.pci_gpus.is_known() || (snapshot.live && snapshot.pci_gpus.is_absent());
  out.gpus_known = !out.gpus.empty() || buses_seen || (snapshot.windows && snapshot.live);
}

void add_wsl(const Snapshot& snapshot, RouteMachine& out) {
  out.windows_build = static_cast<int>(snapshot.windows->build.value_or(0));
  out.virtualization = snapshot.windows->firmware_virtualization.value_or(true);
  out.wsl = "possible";
  if (!snapshot.wsl) return;
  if (!snapshot.wsl->allowed.value_or(true)) out.wsl = "forbidden";
  for (const auto& row : snapshot.wsl->distributions) {
    if (row.version != 2 || row.is_a_programs_own() || out.wsl == "forbidden" || (!out.distribution.empty() && !row.is_default)) continue;
    out.wsl = "ready";
    out.distribution = row.name;
  }
}

}  // namespace

RouteMachine route_machine_of(const Snapshot& snapshot, const Answer& answer) {
  RouteMachine out;
  out.system = snapshot.system.family;
  out.system_name = answer.machine.name;
  out.inside_wsl = snapshot.system.kind == "wsl2" || snapshot.system.kind == "wsl1";
  out.inside_container = snapshot.system.container.is_known();
  out.driver = answer.machine.driver_version;
  add_gpus(snapshot, answer.machine, out);
  if (snapshot.windows) add_wsl(snapshot, out);
  for (const auto& environment : snapshot.environments) {
    const auto minor = minor_of(environment.version.value_or(""));
    if (!minor.empty() && std::find(out.pythons.begin(), out.pythons.end(), minor) == out.pythons.end()) out.pythons.push_back(minor);
  }
  for (const auto& chain : answer.chains) {
    if (!chain.distribution.empty()) continue;
    RouteMachine::Installed row{chain.framework, chain.version, "", "", false, chain.cause.value_or(""), "", {}};
    row.works = chain.imports == Verdict::yes && chain.sees_gpu == Verdict::yes && chain.can_compute == Verdict::yes;
    for (const auto& environment : snapshot.environments) {
      if (environment.id != chain.environment) continue;
      row.environment = environment.path;
      row.python = minor_of(environment.version.value_or(""));
    }
    for (const auto& finding : answer.findings) {
      const bool its = std::find(chain.findings.begin(), chain.findings.end(), finding.key) != chain.findings.end();
      if (!its || finding.id != row.cause || !row.commands.empty()) continue;
      row.step = finding.next_step.id;
      row.commands = finding.next_step.commands;
    }
    out.installed.push_back(std::move(row));
  }
  return out;
}

}  // namespace gpuway
