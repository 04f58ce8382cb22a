#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sense/host/host.h"
#include "think/model/snapshot.h"
#include "think/rules/inspect.h"

namespace gpuway {

struct FilesToInspect {
  InspectRequest request;
  std::vector<std::string> problems;  // folders that could not be listed, limits that were reached
};

/// The files behind one argument of `inspect`, and the program that opens them:
/// - a file: itself, opened by a plain program (/bin/sh);
/// - a Python environment: the libraries in its own site folders, opened by its interpreter;
/// - any other folder: the libraries in it and below, opened by a plain program. Links are not followed.
/// Fails with not_found when there is nothing, and with what listing the folder itself fails with.
Result<FilesToInspect> files_to_inspect(const Host& host, const Snapshot& snapshot, const std::string& path);

}  // namespace gpuway
