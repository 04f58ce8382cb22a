#include "think/model/wsl.h"

#include <algorithm>

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

bool WslDistribution::is_a_programs_own() const {
  const auto lower = to_lower(name);
  return lower.starts_with("docker-desktop") || lower.starts_with("rancher-desktop") || lower.starts_with("podman-");
}

bool WslDistribution::has_plain_name() const {
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace gpuway
