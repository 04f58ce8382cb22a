#pragma once

#include <string>
#include <vector>

#include "sense/host/host.h"
#include "sense/probes/python_environments.h"
#include "sense/probes/windows/wsl_distributions.h"
#include "think/model/snapshot.h"

namespace gpuway {

struct SenseOptions {
  PythonSearch python;
  DistributionSearch distributions;   // of a Windows machine
  std::string program_version;
};

/// Runs every probe of the table below on the host and puts the Snapshot together. A probe that fails becomes its outcome.
/// Prefixes named in the options that are no environments come back in `not_found`.
Snapshot take_snapshot(const Host& host, const SenseOptions& options, std::vector<std::string>& not_found);

}  // namespace gpuway
