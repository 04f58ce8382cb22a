#include "think/model/snapshot_json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/text.h"
#include "think/model/snapshot_fields.h"

namespace gpuway {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "gpuway.snapshot/1";
// A Snapshot has some ten levels. Each level costs memory before the document is known to be none of ours.
constexpr int kMaxDepth = 64;

template <class T> struct IsFact : std::false_type {};
template <class T> struct IsFact<Fact<T>> : std::true_type {};
template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};
template <class T> struct IsVector : std::false_type {};
template <class T> struct IsVector<std::vector<T>> : std::true_type {};
template <class T> struct IsMap : std::false_type {};
template <class T> struct IsMap<std::map<std::string, T>> : std::true_type {};

// ---- writing

template <class T> Json to_json(const T& value);

struct Writer {
  Json object = Json::object();
  template <class T>
  void operator()(const char* name, const T& value) {
    if constexpr (IsOptional<T>::value) {
      if (value) object[name] = to_json(*value);
    } else {
      object[name] = to_json(value);
    }
  }
};

template <class T>
Json to_json(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return to_json_text(value);
  } else if constexpr (std::is_enum_v<T>) {
    return EnumWords<T>::words[static_cast<std::size_t>(value)];
  } else if constexpr (std::is_same_v<T, char>) {
    return value == 0 ? std::string() : std::string(1, value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else if constexpr (IsVector<T>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(to_json(item));
    return list;
  } else if constexpr (IsMap<T>::value) {
    Json object = Json::object();
    for (const auto& [key, item] : value) object[to_json_text(key)] = to_json(item);
    return object;
  } else if constexpr (IsFact<T>::value) {
    Json object = Json::object();
    object["state"] = to_json(value.state);
    if (value.value) object["value"] = to_json(*value.value);
    if (value.is_undetermined()) {
      object["reason"] = to_json(value.reason);
      if (!value.detail.empty()) object["detail"] = to_json(value.detail);
    }
    if (value.source.kind != Source::Kind::none) object["source"] = to_json(value.source);
    return object;
  } else {
    Writer writer;
    describe(writer, const_cast<T&>(value));
    return std::move(writer.object);
  }
}

// ---- reading

struct Fault {
  std::string where, what;
};

template <class T> void from_json(const Json& json, T& value, const std::string& where);

struct Reader {
  const Json& object;
  const std::string& where;
  template <class T>
  void operator()(const char* name, T& value) {
    const auto found = object.find(name);
    if (found == object.end()) return;
    const auto place = where.empty() ? std::string(name) : where + "/" + name;
    if constexpr (IsOptional<T>::value) {
      value.emplace();
      from_json(*found, *value, place);
    } else {
      from_json(*found, value, place);
    }
  }
};

template <class T>
void from_json(const Json& json, T& value, const std::string& where) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) throw Fault{where, "expected text"};
    value = from_json_text(json.template get_ref<const std::string&>());
  } else if constexpr (std::is_enum_v<T>) {
    if (!json.is_string()) throw Fault{where, "expected a word"};
    const auto& word = json.template get_ref<const std::string&>();
    std::size_t index = 0;
    for (const auto* known : EnumWords<T>::words) {
      if (word == known) {
        value = static_cast<T>(index);
        return;
      }
      ++index;
    }
    throw Fault{where, "unknown word \"" + printable(word.substr(0, 64)) + "\""};
  } else if constexpr (std::is_same_v<T, char>) {
    if (!json.is_string()) throw Fault{where, "expected text"};
    const auto& text = json.template get_ref<const std::string&>();
    if (text.size() > 1 || (text.size() == 1 && (text[0] < '!' || text[0] > '~'))) throw Fault{where, "expected one character"};
    value = text.empty() ? '\0' : text[0];
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) throw Fault{where, "expected true or false"};
    value = json.template get<bool>();
  } else if constexpr (std::is_arithmetic_v<T>) {
    const auto out_of_range = [&] { return Fault{where, "number out of range"}; };
    if (json.is_number_unsigned()) {
      const auto number = json.template get<std::uint64_t>();
      if (number > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) throw out_of_range();
      value = static_cast<T>(number);
    } else if (json.is_number_integer()) {
      const auto number = json.template get<std::int64_t>();
      if (std::is_unsigned_v<T> || number < static_cast<std::int64_t>(std::numeric_limits<T>::min())) throw out_of_range();
      value = static_cast<T>(number);
    } else {
      throw Fault{where, "expected a whole number"};
    }
  } else if constexpr (IsVector<T>::value) {
    if (!json.is_array()) throw Fault{where, "expected a list"};
    value.clear();
    std::size_t index = 0;
    for (const auto& item : json) {
      value.emplace_back();
      from_json(item, value.back(), where + "/" + std::to_string(index++));
    }
  } else if constexpr (IsMap<T>::value) {
    if (!json.is_object()) throw Fault{where, "expected an object"};
    value.clear();
    for (const auto& [key, item] : json.items()) from_json(item, value[from_json_text(key)], where + "/" + key);
  } else if constexpr (IsFact<T>::value) {
    if (!json.is_object()) throw Fault{where, "expected a fact"};
    value = {};
    Reader read{json, where};
    read("state", value.state);
    read("value", value.value);
    read("reason", value.reason);
    read("detail", value.detail);
    read("source", value.source);
    if (value.is_known() != value.value.has_value()) throw Fault{where, "a known fact needs a value, any other has none"};
  } else {
    if (!json.is_object()) throw Fault{where, "expected an object"};
    Reader read{json, where};
    describe(read, value);
  }
}

// Where the nesting of brackets outside of strings exceeds the limit; nothing when it does not.
std::optional<std::size_t> too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return at;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string snapshot_to_json(const Snapshot& snapshot) {
  Json document = Json::object();
  document["schema"] = kSchema;
  const auto body = to_json(snapshot);
  for (const auto& [key, value] : body.items()) document[key] = value;
  return escape_json_controls(document.dump(1)) + "\n";
}

Result<Snapshot> snapshot_from_json(std::string_view text) {
  if (text.size() > kMaxSnapshotBytes) return make_error(ErrorCode::too_large, std::to_string(text.size()) + " bytes, limit " + std::to_string(kMaxSnapshotBytes));
  if (const auto at = too_deep(text)) return make_error(ErrorCode::malformed, "no Snapshot: more than " + std::to_string(kMaxDepth) + " levels at byte " + std::to_string(*at));
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& fault) {
    return make_error(ErrorCode::malformed, "no JSON: byte " + std::to_string(fault.byte));
  } catch (const Json::exception& fault) {   // a number beyond all limits
    return make_error(ErrorCode::malformed, std::string("no JSON: ") + printable(fault.what()));
  }
  if (!document.is_object()) return make_error(ErrorCode::malformed, "expected a JSON object");
  const auto schema = document.find("schema");
  if (schema == document.end() || !schema->is_string()) return make_error(ErrorCode::malformed, "schema: missing, expected \"" + std::string(kSchema) + "\"");
  if (*schema != kSchema) {
    return make_error(ErrorCode::unsupported, "schema: \"" + printable(schema->get<std::string>().substr(0, 64)) + "\", expected \"" + kSchema + "\"");
  }
  Snapshot snapshot;
  try {
    from_json(document, snapshot, "");
  } catch (const Fault& fault) {
    return make_error(ErrorCode::malformed, printable(fault.where) + ": " + fault.what);
  }
  return snapshot;
}

}  // namespace gpuway
