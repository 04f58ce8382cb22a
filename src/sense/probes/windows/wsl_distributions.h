#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "sense/host/host.h"
#include "think/model/wsl.h"

namespace gpuway {

/// Gpuway's program for Linux, beside gpuway.exe.
constexpr const char* kLinuxProgram = "gpuway-linux";

/// Which distributions of WSL are looked into, and how.
struct DistributionSearch {
  bool look = true;
  bool start_stopped = false;                     // the user's word that a stopped distribution may be started
  std::vector<std::string> frameworks;            // only these; empty: all
  std::chrono::milliseconds driver_limit{10000};  // for a driver library that is asked inside
  std::string program_version;                    // of this program: another one's Snapshot is not taken
};

/// Looks into the distributions with WSL 2 by running gpuway's Linux program in them, as the distribution's default user
/// and without a shell's start files; no Python is started. A distribution that does not run is left alone unless
/// `start_stopped` says otherwise. Each one gets its Snapshot, or the reason why it was not looked into.
void look_into_distributions(const Host& host, const DistributionSearch& search, WslFacts& wsl);

}  // namespace gpuway
