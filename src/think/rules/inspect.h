#pragma once

#include <string>
#include <vector>

#include "think/model/inspection.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// What to inspect, and which process opens it.
struct InspectRequest {
  std::vector<std::string> files;  // absolute paths, in output order
  std::string program;             // links resolved: the process in which the libraries are opened, one at a time
};

/// Reads and replays the files as the Snapshot shows them. A library is opened in a fresh process of `program`; a file
/// that is a program itself is started. What is not there is left out and the replay goes on, so that everything
/// missing is named, not the first only. Wants what the Snapshot lacks; the answer is then not settled.
std::vector<InspectedFile> inspect_files(const Snapshot& snapshot, const InspectRequest& request, Wants& wants);

/// The driver that a file with these needs and this GPU code wants: from the CUDA runtime it needs, else from the
/// newest PTX in it (machine code of the same release runs by minor-version compatibility). Without machine code the
/// PTX decides.
DriverNeed lowest_driver(const std::vector<InspectedNeed>& needs, const GpuCodeSummary* code);
/// The same for a file of Windows. What only the newest PTX wants is left out: no table has Windows drivers by release.
DriverNeed lowest_windows_driver(const std::vector<InspectedNeed>& needs, const GpuCodeSummary* code);

}  // namespace gpuway
