#pragma once

#include <cstddef>
#include <vector>

#include "think/explain/signatures.h"
#include "think/model/explanation.h"

namespace gpuway {

/// Where a signature was found.
struct Found {
  const SignatureRow* signature = nullptr;
  std::vector<std::size_t> lines;   // in order, without repeats
};

/// Ranks the causes that the signatures speak for. What proves a cause stands above what only suggests one; a cause whose
/// evidence another one accounts for steps back; causes that the text cannot tell apart stay, and nothing is decided.
/// What would decide is
/// asked for. Fills `decided`, `causes`, `harmless` and `missing_facts` of `explanation`, whose facts are known.
void reason(const std::vector<Found>& found, Explanation& explanation);

}  // namespace gpuway
