#include "sense/host/fixture_machine.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/path.h"
#include "base/text.h"
#include "sense/host/fixture_bytes.h"
#include "think/model/snapshot_json.h"

namespace gpuway {
namespace {

using Json = nlohmann::ordered_json;

struct Fault {
  std::string what;
};

std::string text_of(const Json& json, const std::string& where) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) throw Fault{where + ": expected a text or a list of lines"};
  std::string out;
  for (const auto& line : json) out += line.get<std::string>() + "\n";
  return out;
}

std::vector<std::string> list_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? std::vector<std::string>{} : found->get<std::vector<std::string>>();
}

std::optional<std::string> optional_text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? std::nullopt : std::optional(found->get<std::string>());
}

std::optional<ErrorCode> fault_of(const Json& json, const std::string& where) {
  const auto word = optional_text(json, "fault");
  if (!word) return std::nullopt;
  const auto code = error_code_from_word(*word);
  if (!code) throw Fault{where + ": unknown fault " + *word};
  return code;
}

void refuse_unknown(const Json& json, std::initializer_list<std::string_view> known, const std::string& where) {
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) throw Fault{where + ": unknown field " + key};
  }
}

ElfStub stub_of(const Json& json, std::uint16_t machine, const std::string& where) {
  refuse_unknown(json,
                 {"machine", "class", "soname", "needed", "rpath", "runpath", "interpreter", "defines", "asks",
                  "strings", "gpu_code", "size"},
                 where);
  ElfStub stub;
  stub.machine = json.value("machine", machine);
  stub.is_64 = json.value("class", 64) == 64;
  stub.soname = optional_text(json, "soname");
  stub.rpath = optional_text(json, "rpath");
  stub.runpath = optional_text(json, "runpath");
  stub.interpreter = optional_text(json, "interpreter");
  stub.needed = list_of(json, "needed");
  stub.defines = list_of(json, "defines");
  stub.asks = list_of(json, "asks");
  stub.strings = list_of(json, "strings");
  stub.gpu_code = list_of(json, "gpu_code");
  return stub;
}

PeStub pe_stub_of(const Json& json, const std::string& where) {
  refuse_unknown(json, {"machine", "program", "imports", "delayed_imports", "asks", "exports", "strings", "gpu_code", "file_version", "product_name", "size"}, where);
  PeStub stub;
  stub.machine = json.value("machine", stub.machine);
  stub.is_dll = !json.value("program", false);
  stub.imports = list_of(json, "imports");
  stub.delayed_imports = list_of(json, "delayed_imports");
  stub.asks = list_of(json, "asks");
  stub.exports = list_of(json, "exports");
  stub.strings = list_of(json, "strings");
  stub.gpu_code = list_of(json, "gpu_code");
  stub.file_version = optional_text(json, "file_version").value_or("");
  stub.product_name = optional_text(json, "product_name").value_or("");
  return stub;
}

RegistryValue value_of(const Json& json, const std::string& where) {
  RegistryValue value;
  if (json.is_string()) {
    value.text = json.get<std::string>();
  } else if (json.is_number_unsigned()) {
    value.kind = RegistryValue::Kind::number;
    value.number = json.get<std::uint64_t>();
  } else if (json.is_array()) {
    value.kind = RegistryValue::Kind::list;
    value.list = json.get<std::vector<std::string>>();
  } else {
    throw Fault{where + ": expected a text, a number or a list of texts"};
  }
  return value;
}

// "HKLM/SOFTWARE/Python": {"value": "text"}; the keys above come into being with it.
void add_registry(FixtureMachine& machine, const Json& layer) {
  const auto rows = layer.find("registry");
  if (rows == layer.end()) return;
  for (const auto& [path, row] : rows->items()) {
    auto& key = machine.registry[to_lower(path)];
    for (const auto& [name, value] : row.items()) key.values[name] = value_of(value, path + "/" + name);
    for (std::string child = path; child.find('/') != std::string::npos;) {
      const auto slash = child.rfind('/');
      const auto name = child.substr(slash + 1);
      child.resize(slash);
      auto& names = machine.registry[to_lower(child)].subkeys;
      const bool known = std::any_of(names.begin(), names.end(), [&](const std::string& one) { return to_lower(one) == to_lower(name); });
      if (!known) names.push_back(name);
    }
  }
}

// "0666" or "" (mode left as it is).
std::uint32_t mode_of(const Json& json, std::uint32_t otherwise) {
  const auto text = optional_text(json, "mode");
  return text ? static_cast<std::uint32_t>(std::strtoul(text->c_str(), nullptr, 8)) : otherwise;
}

void add_files(FixtureMachine& machine, const Json& layer) {
  if (const auto rows = layer.find("files"); rows != layer.end()) {
    for (const auto& [path, row] : rows->items()) {
      FixtureNode node;
      if (row.is_object()) {
        refuse_unknown(row, {"text", "hex", "size", "mode", "owner", "group", "fault"}, path);
        if (row.contains("text")) node.content = text_of(row["text"], path);
        if (row.contains("hex")) {
          const auto hex = row["hex"].get<std::string>();
          for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
            node.content += static_cast<char>(std::strtol(hex.substr(at, 2).c_str(), nullptr, 16));
        }
        if (row.contains("size")) node.size = row["size"].get<std::uint64_t>();
        node.mode = mode_of(row, 0644);
        node.owner = row.value("owner", 0U);
        node.group = row.value("group", 0U);
        node.fault = fault_of(row, path);
      } else {
        node.content = text_of(row, path);
      }
      machine.put(path, std::move(node));
    }
  }
  if (const auto rows = layer.find("elf"); rows != layer.end()) {
    for (const auto& [path, row] : rows->items()) {
      FixtureNode node;
      node.content = elf_stub(stub_of(row, machine.elf_machine, path));
      node.mode = 0755;
      // The loader compares the file's size with what its segments need: a smaller file is cut off.
      if (row.contains("size"))
        node.content.resize(std::min<std::size_t>(node.content.size(), row["size"].get<std::size_t>()));
      machine.put(path, std::move(node));
    }
  }
  if (const auto rows = layer.find("pe"); rows != layer.end()) {
    for (const auto& [path, row] : rows->items()) {
      FixtureNode node;
      node.content = pe_stub(pe_stub_of(row, path));
      if (row.contains("size")) node.content.resize(std::min<std::size_t>(node.content.size(), row["size"].get<std::size_t>()));
      machine.put(path, std::move(node));
    }
  }
}

void add_other_nodes(FixtureMachine& machine, const Json& layer) {
  if (const auto rows = layer.find("folders"); rows != layer.end()) {
    for (const auto& path : *rows)
      machine.put(path.get<std::string>(), {FileKind::folder, "", {}, 0755, 0, 0, {}, true});
  }
  if (const auto rows = layer.find("links"); rows != layer.end()) {
    for (const auto& [path, target] : rows->items())
      machine.put(path, {FileKind::link, target.get<std::string>(), {}, 0777, 0, 0, {}, true});
  }
  if (const auto rows = layer.find("nodes"); rows != layer.end()) {
    for (const auto& [path, row] : rows->items()) {
      refuse_unknown(row, {"mode", "owner", "group", "opens"}, path);
      machine.put(path, {FileKind::character_device,
                         "",
                         {},
                         mode_of(row, 0666),
                         row.value("owner", 0U),
                         row.value("group", 0U),
                         {},
                         row.value("opens", true)});
    }
  }
  if (const auto rows = layer.find("denied"); rows != layer.end()) {
    for (const auto& path : *rows) {
      const auto node = machine.nodes.find(path.get<std::string>());
      if (node == machine.nodes.end()) throw Fault{"denied: " + path.get<std::string>() + ": no such entry"};
      node->second.fault = ErrorCode::access_denied;
    }
  }
}

void add_answers(FixtureMachine& machine, const Json& layer) {
  if (const auto rows = layer.find("environment"); rows != layer.end()) {
    for (const auto& [name, value] : rows->items()) {
      if (value.is_null()) {
        machine.environment.erase(name);
      } else {
        machine.environment[name] = value.get<std::string>();
      }
    }
  }
  if (const auto rows = layer.find("programs"); rows != layer.end()) {
    for (const auto& [name, row] : rows->items()) {
      refuse_unknown(row, {"out", "exit_code", "fault"}, name);
      FixtureProgram program;
      if (row.contains("out")) program.output.out = text_of(row["out"], name);
      program.output.exit_code = row.value("exit_code", 0);
      program.fault = fault_of(row, name);
      machine.programs[name] = std::move(program);
    }
  }
  if (const auto rows = layer.find("drivers"); rows != layer.end()) {
    // Written as `check --save` writes them.
    const Json document = {{"schema", "gpuway.snapshot/1"}, {"driver", {{"reports", *rows}}}};
    const auto snapshot = snapshot_from_json(document.dump());
    if (!snapshot) throw Fault{snapshot.error().text()};
    for (const auto& [path, report] : snapshot->driver.reports) {
      machine.drivers[path] = report;
      if (report.path.empty()) machine.drivers[path].path = path;
    }
  }
}

// What only a live Windows can be asked: the processor and the graphics interface.
void add_hardware(FixtureMachine& machine, const Json& layer) {
  if (const auto row = layer.find("processor"); row != layer.end()) {
    refuse_unknown(*row, {"flags", "hypervisor", "root_partition", "virtualization"}, "processor");
    auto& processor = machine.processor.emplace();
    processor.flags = list_of(*row, "flags");
    std::sort(processor.flags.begin(), processor.flags.end());
    processor.hypervisor = row->value("hypervisor", "");
    processor.root_partition = row->value("root_partition", false);
    processor.virtualization = row->value("virtualization", false);
  }
  if (const auto rows = layer.find("graphics_adapters"); rows != layer.end()) {
    auto& adapters = machine.graphics_adapters.emplace();
    for (const auto& row : *rows) {
      refuse_unknown(row, {"name", "vendor", "device", "dedicated_memory", "shared_memory", "luid", "software", "driver_version"},
                     "graphics_adapters");
      GraphicsAdapter adapter;
      adapter.name = row.value("name", "");
      adapter.vendor = row.value("vendor", 0U);
      adapter.device = row.value("device", 0U);
      adapter.dedicated_memory = row.value("dedicated_memory", std::uint64_t{0});
      adapter.shared_memory = row.value("shared_memory", std::uint64_t{0});
      adapter.luid = row.value("luid", "");
      adapter.software = row.value("software", false);
      adapter.driver_version = row.value("driver_version", "");
      adapters.push_back(std::move(adapter));
    }
  }
}

std::string with_places(std::string_view json, const std::map<std::string, std::string>& places) {
  std::string out(json);
  for (const auto& [name, place] : places) {
    const auto mark = "{" + name + "}";
    for (auto at = out.find(mark); at != std::string::npos; at = out.find(mark, at + place.size()))
      out.replace(at, mark.size(), place);
  }
  return out;
}

}  // namespace

FixtureMachine::FixtureMachine() { nodes["/"] = {FileKind::folder, "", {}, 0755, 0, 0, {}, true}; }

void FixtureMachine::put(const std::string& path, FixtureNode node) {
  const auto parent = parent_path(path);
  if (parent != path && !nodes.contains(parent)) put(parent, {FileKind::folder, "", {}, 0755, 0, 0, {}, true});
  nodes[path] = std::move(node);
}

bool FixtureMachine::remove(const std::string& path) {
  return std::erase_if(nodes, [&](const auto& row) { return is_below(row.first, path); }) > 0;
}

Status FixtureMachine::add_layer(std::string_view json, const std::map<std::string, std::string>& places) {
  try {
    const auto layer = Json::parse(with_places(json, places));
    refuse_unknown(layer,
                   {"about", "source", "remove", "machine", "glibc", "files", "elf", "folders", "links", "nodes",
                    "denied", "environment", "current_folder", "program_folder", "programs", "drivers", "loader_cache", "system", "registry", "pe",
                    "processor", "graphics_adapters"},
                   "layer");
    // Taking away comes first, so that a layer can put something else in the place.
    for (const auto& path : list_of(layer, "remove")) {
      const auto cached = std::erase(cached_libraries, path);
      const bool recorded = programs.erase(path) + drivers.erase(path) > 0;
      if (!remove(path) && cached == 0 && !recorded) throw Fault{"remove: " + path + ": no such entry"};
    }
    elf_machine = layer.value("machine", elf_machine);
    if (const auto system = optional_text(layer, "system")) {
      if (*system != "windows" && *system != "linux") throw Fault{"system: unknown system " + *system};
      windows = *system == "windows";
    }
    glibc = layer.value("glibc", glibc);
    current_folder = layer.value("current_folder", current_folder);
    program_folder = layer.value("program_folder", program_folder);
    add_files(*this, layer);
    add_other_nodes(*this, layer);
    add_answers(*this, layer);
    add_registry(*this, layer);
    add_hardware(*this, layer);
    for (const auto& [path, node] : nodes) {
      if (parent_path(path) != path && nodes.at(parent_path(path)).kind != FileKind::folder)
        throw Fault{path + ": lies below what is no folder"};
    }
    for (auto& path : list_of(layer, "loader_cache")) cached_libraries.push_back(std::move(path));
  } catch (const Fault& fault) {
    return make_error(ErrorCode::malformed, fault.what);
  } catch (const Json::exception& fault) {
    return make_error(ErrorCode::malformed, fault.what());
  }
  return Done{};
}

}  // namespace gpuway
