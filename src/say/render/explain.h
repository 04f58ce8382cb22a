#pragma once

#include <string>

#include "say/messages/messages.h"
#include "say/render/text.h"
#include "think/model/explanation.h"

namespace gpuway {

/// The answer of `explain` for a person: the cause, the lines that speak for it, what looks bad and is harmless, what
/// would decide, and the next step.
std::string render_explain_text(const Explanation& explanation, const Messages& messages, const TextOptions& options);

/// The same as one JSON document, schema gpuway.explain/1 (docs/schema/explain.schema.json). It has no language.
std::string render_explain_json(const Explanation& explanation, const std::string& version,
                                const std::string& knowledge_date);

}  // namespace gpuway
