// Writes the JSON Schema of the Snapshot, from the description of its fields that reading and writing use and from the
// meanings in data/schema/snapshot.toml:
//   describe_snapshot snapshot.toml > docs/schema/snapshot.schema.json
// Fails with file and line when a field has no meaning or a meaning no field.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "think/model/snapshot_fields.h"
#include "toml_rows.h"

namespace {

using namespace gpuway;
using Json = nlohmann::ordered_json;
using gpuway_tools::fail;

template <class T> constexpr const char* kName = nullptr;
template <> constexpr const char* kName<Snapshot> = "Snapshot";
template <> constexpr const char* kName<Source> = "Source";
template <> constexpr const char* kName<SystemFacts> = "SystemFacts";
template <> constexpr const char* kName<PciGpu> = "PciGpu";
template <> constexpr const char* kName<DeviceNode> = "DeviceNode";
template <> constexpr const char* kName<DriverFacts> = "DriverFacts";
template <> constexpr const char* kName<DriverReport> = "DriverReport";
template <> constexpr const char* kName<DriverDevice> = "DriverDevice";
template <> constexpr const char* kName<NvmlReport> = "NvmlReport";
template <> constexpr const char* kName<PythonEnvironment> = "PythonEnvironment";
template <> constexpr const char* kName<PythonPackage> = "PythonPackage";
template <> constexpr const char* kName<SearchFolder> = "SearchFolder";
template <> constexpr const char* kName<ImportCandidate> = "ImportCandidate";
template <> constexpr const char* kName<LoaderCache> = "LoaderCache";
template <> constexpr const char* kName<LoaderCacheEntry> = "LoaderCacheEntry";
template <> constexpr const char* kName<BinaryView> = "BinaryView";
template <> constexpr const char* kName<ElfSummary> = "ElfSummary";
template <> constexpr const char* kName<PeSummary> = "PeSummary";
template <> constexpr const char* kName<ImportCheck> = "ImportCheck";
template <> constexpr const char* kName<WindowsFacts> = "WindowsFacts";
template <> constexpr const char* kName<DisplayAdapter> = "DisplayAdapter";
template <> constexpr const char* kName<WslFacts> = "WslFacts";
template <> constexpr const char* kName<WslDistribution> = "WslDistribution";
template <> constexpr const char* kName<WslConfig> = "WslConfig";
template <> constexpr const char* kName<WslSetting> = "WslSetting";
template <> constexpr const char* kName<WslConfigProblem> = "WslConfigProblem";
template <> constexpr const char* kName<WindowsAround> = "WindowsAround";
template <> constexpr const char* kName<GraphicsAdapter> = "GraphicsAdapter";
template <> constexpr const char* kName<VersionNeed> = "VersionNeed";
template <> constexpr const char* kName<FolderView> = "FolderView";
template <> constexpr const char* kName<SymbolCheck> = "SymbolCheck";
template <> constexpr const char* kName<SymbolCheck::Missing> = "SymbolMissing";
template <> constexpr const char* kName<GpuCodeSummary> = "GpuCodeSummary";
template <> constexpr const char* kName<GpuCodeSummary::Row> = "GpuCodeRow";
template <> constexpr const char* kName<ProbeOutcome> = "ProbeOutcome";

// How a JSON value of the type looks, apart from named objects, which refer to $defs.
template <class T> struct Shape;

// The meanings of one type, as data/schema/snapshot.toml has them.
struct Meanings {
  int line = 0;
  std::string meaning;
  std::map<std::string, std::string> fields;
  std::set<std::string> private_fields;
  std::vector<std::string> systems;
  bool used = false;
};

class Describer {
 public:
  explicit Describer(std::string file) : file_(std::move(file)) {
    for (const auto& row : gpuway_tools::RowReader(file_).read()) {
      Meanings meanings{row.line, row.text("meaning"), {}, {}, row.list("systems")};
      if (row.table != "type" || meanings.meaning.empty()) fail(file_, row.line, "expected [[type]] with name and meaning");
      for (const auto& field : row.list("fields")) {
        const auto colon = field.find(": ");
        if (colon == std::string::npos) fail(file_, row.line, "expected NAME: meaning, found " + field);
        if (!meanings.fields.emplace(field.substr(0, colon), field.substr(colon + 2)).second)
          fail(file_, row.line, field.substr(0, colon) + " is there twice");
      }
      for (const auto& name : row.list("private")) {
        if (meanings.fields.count(name) == 0) fail(file_, row.line, "private and no field: " + name);
        meanings.private_fields.insert(name);
      }
      if (!types_.emplace(row.text("name"), std::move(meanings)).second) fail(file_, row.line, row.text("name") + " is there twice");
    }
  }

  template <class T> Json object(T& value);

  Json schema() {
    Snapshot snapshot;
    auto top = object(snapshot);
    for (const auto& [name, meanings] : types_) {
      if (!meanings.used) fail(file_, meanings.line, "the Snapshot has no type " + name);
    }
    Json properties = {{"schema", {{"const", "gpuway.snapshot/1"}}}};
    for (const auto& [name, property] : top["properties"].items()) properties[name] = property;
    Json document = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                     {"title", "gpuway.snapshot/1"},
                     {"description",
                      "What `gpuway check --save` writes and `--from` reads. " + top["description"].get<std::string>() +
                          " Fields may be added; these keep their meaning. A field with `x-private` can hold names, paths, "
                          "texts or numbers that tell who or which machine it is; one with `x-optional` is left out when there is nothing to say. Bytes that are no UTF-8 appear as the "
                          "private-use characters U+F780 to U+F7FF. Made from data/schema/snapshot.toml."},
                     {"type", "object"},
                     {"required", {"schema"}},
                     {"properties", std::move(properties)}};
    document["$defs"] = Json::object();
    for (auto& [name, definition] : definitions_) document["$defs"][name] = std::move(definition);
    return document;
  }

  // A reference to the definition of the type, made once.
  template <class T> Json refer() {
    return refer(kName<T>, [&] {
      T value{};
      return object(value);
    });
  }
  template <class Make> Json refer(const std::string& name, Make&& make) {
    if (definitions_.count(name) == 0) {
      definitions_[name] = nullptr;   // holds the place while its members are described
      auto definition = make();
      definitions_[name] = std::move(definition);
    }
    return {{"$ref", "#/$defs/" + name}};
  }

 private:
  std::string file_;
  std::map<std::string, Meanings> types_;
  std::map<std::string, Json> definitions_;
};

template <class T> struct Shape {
  static Json of(Describer& describer) {
    if constexpr (std::is_enum_v<T>) {
      Json words = Json::array();
      for (const auto* word : EnumWords<T>::words) words.push_back(word);
      if constexpr (std::is_same_v<T, ErrorCode>) return describer.refer("Reason", [&] { return Json{{"enum", words}}; });
      return {{"enum", words}};
    } else if constexpr (std::is_same_v<T, std::string>) {
      return {{"type", "string"}};
    } else if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_same_v<T, char>) {
      return {{"type", "string"}, {"maxLength", 1}};
    } else if constexpr (std::is_integral_v<T>) {
      Json out = {{"type", "integer"}};
      if constexpr (std::is_unsigned_v<T>) out["minimum"] = 0;
      if constexpr (sizeof(T) <= 2) out["maximum"] = std::numeric_limits<T>::max();
      return out;
    } else {
      return describer.refer<T>();
    }
  }
};
template <class T> struct Shape<std::optional<T>> {
  static Json of(Describer& describer) {
    auto shape = Shape<T>::of(describer);
    shape["x-optional"] = true;
    return shape;
  }
};
template <class T> struct Shape<std::vector<T>> {
  static Json of(Describer& describer) { return {{"type", "array"}, {"items", Shape<T>::of(describer)}}; }
};
template <class T> struct Shape<std::map<std::string, T>> {
  static Json of(Describer& describer) { return {{"type", "object"}, {"additionalProperties", Shape<T>::of(describer)}}; }
};
// Three answers: known has a value, absent has none, undetermined has a reason.
template <class T> struct Shape<Fact<T>> {
  static Json of(Describer& describer) {
    return describer.refer("Fact_" + name_of(Shape<T>::of(describer)), [&] { return answers(describer); });
  }

 private:
  // "string", "string_list", or the name of the definition that is referred to.
  static std::string name_of(const Json& shape) {
    if (shape.contains("$ref")) return shape["$ref"].get<std::string>().substr(8);
    if (shape["type"] == "array") return name_of(shape["items"]) + "_list";
    return shape["type"].get<std::string>() + (shape.contains("maximum") ? "_16_bit" : "");
  }

  static Json answers(Describer& describer) {
    const auto source = describer.refer<Source>();
    const auto answer = [&](const char* state, Json more, Json required) {
      Json properties = {{"state", {{"const", state}}}};
      for (const auto& [name, property] : more.items()) properties[name] = property;
      properties["source"] = source;
      return Json{{"type", "object"}, {"required", std::move(required)}, {"properties", std::move(properties)}};
    };
    return {{"oneOf",
             {answer("known", {{"value", Shape<T>::of(describer)}}, {"state", "value"}),
              answer("absent", Json::object(), {"state"}),
              answer("undetermined", {{"reason", Shape<ErrorCode>::of(describer)}, {"detail", {{"type", "string"}}}},
                     {"state", "reason"})}}};
  }
};

// Called by describe() for every member.
struct MemberWriter {
  Describer& describer;
  const std::string& file;
  Meanings& meanings;
  const char* type;
  Json properties = Json::object();
  std::set<std::string> seen;

  template <class T> void operator()(const char* name, T&) {
    const auto found = meanings.fields.find(name);
    if (found == meanings.fields.end()) fail(file, meanings.line, std::string(type) + " has a field without a meaning: " + name);
    seen.insert(name);
    auto shape = Shape<T>::of(describer);
    shape["description"] = found->second;
    if (meanings.private_fields.count(name) != 0) shape["x-private"] = true;
    properties[name] = std::move(shape);
  }
};

template <class T> Json Describer::object(T& value) {
  const auto found = types_.find(kName<T>);
  if (found == types_.end()) fail(file_, 0, std::string("no [[type]] ") + kName<T>);
  found->second.used = true;
  MemberWriter writer{*this, file_, found->second, kName<T>, Json::object(), {}};
  describe(writer, value);
  for (const auto& [name, meaning] : found->second.fields) {
    if (writer.seen.count(name) == 0) fail(file_, found->second.line, std::string(kName<T>) + " has no field " + name);
  }
  Json out = {{"type", "object"}, {"description", found->second.meaning}, {"properties", std::move(writer.properties)}};
  if (!found->second.systems.empty()) out["x-systems"] = found->second.systems;
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("describe_snapshot", 0, "usage: describe_snapshot snapshot.toml");
  std::cout << Describer(argv[1]).schema().dump(2) << "\n";
  return 0;
}
