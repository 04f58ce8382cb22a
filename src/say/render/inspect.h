#pragma once

#include <string>

#include "say/messages/messages.h"
#include "say/render/text.h"
#include "think/model/inspection.h"

namespace gpuway {

/// The answer of `inspect` for a person. Of several files those that are well and hold no GPU code are only counted,
/// unless `options.all`. With `options.verbose` every library of the whole tree and every place searched.
std::string render_inspect_text(const Inspection& inspection, const Messages& messages, const TextOptions& options);

/// The same as one JSON document, schema gpuway.inspect/1 (docs/schema/inspect.schema.json).
std::string render_inspect_json(const Inspection& inspection, const std::string& version,
                                const std::string& knowledge_date);

/// How NVIDIA's tools write an architecture: sm_90a, compute_120f, lto_75.
std::string architecture_name(const GpuCodeSummary::Row& row);

}  // namespace gpuway
