#include "sense/probes/assemble.h"

#include <exception>
#include <span>

#include "sense/probes/graphics.h"
#include "sense/probes/home_folder.h"
#include "sense/probes/loader_folders.h"
#include "sense/probes/system.h"
#include "sense/probes/windows/windows_system.h"
#include "sense/probes/windows/wsl_from_windows.h"
#include "sense/probes/wsl/windows_around.h"

namespace gpuway {
namespace {

struct ProbeInfo {
  const char* id;
  void (*collect)(const Host&, Snapshot&);
};

// In this order: later probes use what earlier ones found.
constexpr ProbeInfo kProbes[] = {
    {"variables", &collect_variables},       {"system", &collect_system}, {"loader-cache", &collect_loader_cache},
    {"loader-folders", &collect_loader_folders},
    {"pci-gpus", &collect_pci_gpus},         {"driver", &collect_driver},
    {"windows-around", &collect_windows_around},
};
constexpr ProbeInfo kWindowsProbes[] = {
    {"variables", &collect_variables}, {"system", &collect_windows_system}, {"graphics-adapters", &collect_graphics_adapters},
    {"wsl", &collect_wsl}};

template <class Collect>
void run_probe(const Host& host, Snapshot& snapshot, const char* id, Collect&& collect) {
  ProbeOutcome outcome;
  outcome.id = id;
  outcome.outcome = "ok";
  const auto start = host.clock_ms();
  try {
    collect();
  } catch (const std::exception& fault) {
    outcome.outcome = "crashed";
    outcome.detail = fault.what();
  }
  outcome.ms = host.clock_ms() - start;
  snapshot.probes.push_back(std::move(outcome));
}

}  // namespace

Snapshot take_snapshot(const Host& host, const SenseOptions& options, std::vector<std::string>& not_found) {
  Snapshot snapshot;
  snapshot.taken_by = options.program_version;
  snapshot.taken_on = host.today();
  snapshot.root = host.root();
  snapshot.live = host.is_live();
  snapshot.current_folder = host.current_folder();
  snapshot.home_folder = home_folder(host).value_or("");
  for (const auto& probe : host.is_windows() ? std::span<const ProbeInfo>(kWindowsProbes) : std::span<const ProbeInfo>(kProbes)) {
    run_probe(host, snapshot, probe.id, [&] { probe.collect(host, snapshot); });
  }
  run_probe(host, snapshot, "python-environments",
            [&] { collect_python_environments(host, options.python, snapshot, not_found); });
  if (snapshot.wsl && options.distributions.look) {
    run_probe(host, snapshot, "wsl-distributions", [&] { look_into_distributions(host, options.distributions, *snapshot.wsl); });
  }
  return snapshot;
}

}  // namespace gpuway
