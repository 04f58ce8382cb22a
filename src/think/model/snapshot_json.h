#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// The Snapshot as one JSON document: "gpuway.snapshot/1". The same Snapshot gives the same bytes. Bytes that are no UTF-8
/// survive (see to_json_text).
std::string snapshot_to_json(const Snapshot& snapshot);

/// A Snapshot of more bytes is refused.
constexpr std::size_t kMaxSnapshotBytes = std::size_t{256} << 20;

/// Reads what snapshot_to_json wrote. Fields that are absent keep their defaults and unknown fields are ignored, so that
/// neighbouring versions understand each other. Fails with `malformed` naming the place (`environments/3/version: ...`),
/// or `unsupported` for another schema.
Result<Snapshot> snapshot_from_json(std::string_view text);

}  // namespace gpuway
