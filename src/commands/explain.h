#pragma once

#include <string>

#include "commands/run.h"

namespace gpuway {

struct ExplainOptions {
  std::string file = "-";
  std::string language, colour = "auto";
  bool json = false;
};

/// `gpuway explain [FILE|-]`: from a log, of any length, to the cause. Exit code 1 when a cause is named, 0 when none is,
/// 3 when the file cannot be read.
int run_explain(const ExplainOptions& options, Program& program);

}  // namespace gpuway
