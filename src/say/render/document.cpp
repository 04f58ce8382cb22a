#include "say/render/document.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace gpuway {

std::string to_document(const nlohmann::ordered_json& document) {
  // Texts that come from the machine go through to_json_text, which loses nothing; `replace` is for those that a
  // Snapshot from elsewhere put where only our own words belong.
  const auto text = document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return escape_json_controls(text) + "\n";
}

}  // namespace gpuway
