#include "think/model/wsl.h"

#include "base/text.h"

namespace gpuway {

const WslSetting* WslConfig::find(std::string_view key) const {
  for (const auto& setting : settings) {
    if (to_lower(setting.key) == to_lower(key)) return &setting;
  }
  return nullptr;
}

bool WslConfig::flag(std::string_view key, bool otherwise) const {
  const auto* setting = find(key);
  if (setting == nullptr) return otherwise;
  const auto word = to_lower(setting->value);
  if (word == "true" || word == "1") return true;
  return word == "false" || word == "0" ? false : otherwise;
}

}  // namespace gpuway
