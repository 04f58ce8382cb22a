#pragma once

#include <set>
#include <string>
#include <vector>

#include "sense/host/host.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// What to look for among Python environments.
struct PythonSearch {
  std::vector<std::string> prefixes;    // --env: a prefix, an interpreter, or a project folder with a .venv
  bool search_everywhere = true;        // false: only `prefixes`
  std::set<std::string> modules;        // top-level names whose import candidates are recorded
  std::set<std::string> distributions;  // normalised names whose METADATA is read
};

/// Finds the environments without starting Python and fills the Snapshot; ids are e1, e2, ... in order of discovery.
/// A prefix given by name that is no environment comes back in `not_found`.
void collect_python_environments(const Host& host, const PythonSearch& search, Snapshot& snapshot,
                                 std::vector<std::string>& not_found);

}  // namespace gpuway
