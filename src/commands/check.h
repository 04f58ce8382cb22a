#pragma once

#include <string>
#include <vector>

#include "commands/run.h"

namespace gpuway {

struct CheckOptions {
  std::vector<std::string> environments, frameworks, expectations;   // expectations: "tensorflow:gpu"
  std::string save, from, root, language = "en", colour = "auto";
  bool json = false, verbose = false, all = false, quiet = false;
};

/// `gpuway check`: looks, judges, says.
int run_check(const CheckOptions& options, Program& program);

}  // namespace gpuway
