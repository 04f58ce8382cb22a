#pragma once

#include <string>
#include <vector>

#include "commands/run.h"

namespace gpuway {

struct InspectOptions {
  std::vector<std::string> paths;
  std::string root, language, colour = "auto";
  bool json = false, verbose = false, all = false;
};

/// `gpuway inspect PATH...`: what libraries, folders of libraries or Python environments need, where each need is found
/// and by which rule, which GPU code is inside, and the lowest driver. Exit code 1 when a file does not find what it
/// needs, 2 when a path does not exist.
int run_inspect(const InspectOptions& options, Program& program);

}  // namespace gpuway
