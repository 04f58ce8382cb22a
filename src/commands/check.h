#pragma once

#include <string>
#include <vector>

#include "commands/run.h"

namespace gpuway {

struct CheckOptions {
  // language: empty takes what the environment asks for
  std::vector<std::string> environments, frameworks, expectations;   // expectations: "tensorflow:gpu"
  std::string save, from, root, language, colour = "auto";
  int timeout_s = 10;   // for each program and driver library that is asked
  bool json = false, verbose = false, all = false, quiet = false;
  bool start_distributions = false;   // of WSL, to look into them
};

/// `gpuway check`: looks, judges, says.
int run_check(const CheckOptions& options, Program& program);

}  // namespace gpuway
