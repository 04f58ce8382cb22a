#pragma once

#include <string>

#include "say/messages/messages.h"
#include "think/model/answer.h"
#include "think/model/route.h"
#include "think/model/snapshot.h"

namespace gpuway {

struct TextOptions {
  std::size_t width = 80;    // columns
  bool colour = false;
  bool verbose = false;      // all places searched
  bool all = false;          // also environments without a framework
  bool quiet = false;        // only chains that are not well
  const Route* best_route = nullptr;   // told at the end of `check`
};

/// The answer of `check` for a person. Understandable without colour.
std::string render_check_text(const Answer& answer, const Snapshot& snapshot, const Messages& messages,
                              const TextOptions& options);

}  // namespace gpuway
