#pragma once

#include <string>

#include "think/model/inspection.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// What `inspect` says of a Windows library or program: its needs, and on a Windows machine where each is found when a process of
/// `program` loads the file by its path, as Python since 3.8 loads extension modules. What is not there is left out and the
/// replay goes on, so that everything missing is named. `pe` is the file's own summary.
void inspect_pe(const Snapshot& snapshot, const PeSummary& pe, const std::string& program, InspectedFile& file, Wants& wants);

}  // namespace gpuway
