#pragma once

#include <string>

#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// The answer of `check --json`, schema "gpuway.check/1" (docs/schema/check.schema.json). It has no language.
std::string render_check_json(const Answer& answer, const Snapshot& snapshot, const std::string& version,
                              const std::string& knowledge_date);

}  // namespace gpuway
