#include "sense/probes/windows/registry_values.h"

#include <algorithm>

#include "base/text.h"

namespace gpuway {

Source registry_source(std::string where) {
  std::replace(where.begin(), where.end(), '/', '\\');
  return {Source::Kind::registry, std::move(where)};
}

const RegistryValue* value_of(const RegistryKey& key, std::string_view name) {
  for (const auto& [own, value] : key.values) {
    if (to_lower(own) == to_lower(name)) return &value;
  }
  return nullptr;
}

std::string text_of(const RegistryKey& key, std::string_view name) {
  const auto* value = value_of(key, name);
  return value == nullptr ? std::string() : value->text;
}

Fact<std::string> registry_text_fact(const Host& host, const std::string& path, const char* name) {
  return registry_fact<std::string>(host, path, name, [](const RegistryValue& value) { return value.text; });
}

}  // namespace gpuway
