#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpuway {

/// The document as text that may be shown on a terminal: indented, valid UTF-8 whatever the strings hold, no raw
/// control character but line ends, a line end at the end.
std::string to_document(const nlohmann::ordered_json& document);

}  // namespace gpuway
