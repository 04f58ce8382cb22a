#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "sense/host/host.h"
#include "think/model/fact.h"

namespace gpuway {

/// A key of the registry as a source, written as Windows writes it.
Source registry_source(std::string where);

/// The value of this name in any case; null when the key has none.
const RegistryValue* value_of(const RegistryKey& key, std::string_view name);
/// Its text; empty when the key has no such value.
std::string text_of(const RegistryKey& key, std::string_view name);

/// One value of the 64-bit view as a fact: absent when the key lacks it.
template <class T, class Make>
Fact<T> registry_fact(const Host& host, const std::string& path, const char* name, Make&& make) {
  const auto source = registry_source(path + "/" + name);
  const auto key = host.read_registry(path, RegistryView::bits64);
  if (!key) return Fact<T>::from_error(key.error(), source);
  const auto* value = value_of(*key, name);
  if (value == nullptr) return Fact<T>::absent(source);
  return Fact<T>::known(make(*value), source);
}
Fact<std::string> registry_text_fact(const Host& host, const std::string& path, const char* name);

}  // namespace gpuway
