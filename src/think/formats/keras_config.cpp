#include "think/formats/keras_config.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace gpuway {
namespace {

using Json = nlohmann::json;

bool is_one_of(const Json& value, std::initializer_list<const char*> names) {
  return value.is_string() && std::any_of(names.begin(), names.end(), [&](const char* name) {
           return value.get_ref<const std::string&>() == name;
         });
}

std::string shown(const Json& value) {
  auto text = value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}

}  // namespace

KerasConfig parse_keras_config(std::string_view text) {
  KerasConfig config;
  // Python's reader refuses a byte order mark, and then the whole file counts as empty.
  if (text.starts_with("\xef\xbb\xbf")) return config;
  const auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return config;
  if (!json.is_object()) {
    config.refused = "keras.json";
    config.value = shown(json);
    return config;
  }
  const auto check = [&](const char* key, auto&& takes) {
    const auto found = json.find(key);
    if (!config.refused.empty() || found == json.end() || takes(*found)) return;
    config.refused = key;
    config.value = shown(*found);
  };
  check("floatx", [](const Json& value) { return is_one_of(value, {"float16", "float32", "float64"}); });
  check("epsilon", [](const Json& value) { return value.is_number_float(); });
  check("image_data_format", [](const Json& value) { return is_one_of(value, {"channels_last", "channels_first"}); });
  if (const auto found = json.find("backend"); found != json.end()) {
    config.names_backend = true;
    config.backend = shown(*found);
  }
  return config;
}

}  // namespace gpuway
