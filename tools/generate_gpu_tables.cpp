// Turns data/tables/gpus.toml and cuda.toml into sorted constexpr tables, and finds the newest date of all tables:
//   generate_gpu_tables OUT-FOLDER gpus.toml cuda.toml [other.toml ...]
// Refuses a row without source or date, a source that no [[source]] row explains, and an id that stands twice.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "toml_rows.h"

using gpuway_tools::fail;
using gpuway_tools::Row;

namespace {

struct Table {
  std::string file;
  std::vector<Row> rows;

  explicit Table(std::string path) : file(std::move(path)), rows(gpuway_tools::RowReader(file).read()) {}

  void each(const std::string& table, auto&& what) const {
    for (const auto& row : rows) {
      if (row.table == table) what(row);
    }
  }
  std::string need(const Row& row, const std::string& key) const {
    if (row.text(key).empty()) fail(file, row.line, row.table + " without " + key);
    return row.text(key);
  }
  unsigned hex(const Row& row, const std::string& text) const {
    if (text.size() != 4 || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
      fail(file, row.line, "\"" + text + "\" is no PCI id: expected four hexadecimal digits");
    }
    return static_cast<unsigned>(std::stoul(text, nullptr, 16));
  }
  unsigned number(const Row& row, const std::string& text) const {
    if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos) {
      fail(file, row.line, "\"" + text + "\" is no number");
    }
    return static_cast<unsigned>(std::stoul(text));
  }
  // "12.8" -> "{12, 8}"
  std::pair<unsigned, unsigned> version(const Row& row, const std::string& text) const {
    const auto dot = text.find('.');
    if (dot == std::string::npos) fail(file, row.line, "\"" + text + "\" is no version MAJOR.MINOR");
    return {number(row, text.substr(0, dot)), number(row, text.substr(dot + 1))};
  }
};

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i != 4 && i != 7 && std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

void check_sources(const Table& table) {
  std::set<std::string> known, used;
  table.each("source", [&](const Row& row) {
    table.need(row, "where");
    if (!known.insert(table.need(row, "id")).second)
      fail(table.file, row.line, "source " + row.text("id") + " is there twice");
  });
  for (const auto& row : table.rows) {
    if (row.table == "source") continue;
    used.insert(table.need(row, "source"));
    if (known.count(row.text("source")) == 0) fail(table.file, row.line, "unknown source " + row.text("source"));
    if (!is_date(table.need(row, "checked"))) fail(table.file, row.line, "checked is no date: " + row.text("checked"));
  }
  for (const auto& id : known) {
    if (used.count(id) == 0) fail(table.file, 0, "source " + id + " is used by no row");
  }
}

std::string literal(const std::string& text) { return "\"" + text + "\""; }
std::string pair_text(std::pair<unsigned, unsigned> pair) {
  return "{" + std::to_string(pair.first) + ", " + std::to_string(pair.second) + "}";
}
std::string confirmed(const Row& row) { return row.text("unconfirmed") == "true" ? "false" : "true"; }

std::string array(const std::string& type, const std::string& name, const std::string& rows) {
  return "constexpr " + type + " " + name + "[] = {\n" + rows + "};\n";
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) fail(path.string(), 0, "cannot be written");
}

std::string gpu_tables(const Table& table) {
  std::vector<std::string> architectures;
  std::string text;
  table.each("architecture", [&](const Row& row) {
    architectures.push_back(table.need(row, "id"));
    const auto open = row.text("open_module");
    if (!open.empty() && open != "no" && open != "only")
      fail(table.file, row.line, "open_module is \"no\" or \"only\"");
    const auto branch = [&](const char* key) {
      return row.text(key).empty() ? "0" : std::to_string(table.number(row, row.text(key)));
    };
    text += "    {" + literal(row.text("id")) + ", " + literal(table.need(row, "name")) + ", " +
            branch("first_branch") + ", " + branch("last_branch") + ", KernelModules::" +
            (open == "no"     ? "closed_only"
             : open == "only" ? "open_only"
                              : "both") +
            "},\n";
  });
  auto out = array("Architecture", "kArchitectures", text);

  std::map<std::pair<unsigned, unsigned>, std::string> devices;  // (vendor, device) -> row
  const auto add = [&](const Row& row, unsigned vendor, unsigned device, const std::string& rest) {
    if (!devices.emplace(std::pair(vendor, device), rest).second) {
      fail(table.file, row.line,
           "device " + std::to_string(device) + " of vendor " + std::to_string(vendor) + " is there twice");
    }
  };
  table.each("chip", [&](const Row& row) {
    const auto at = std::find(architectures.begin(), architectures.end(), table.need(row, "architecture"));
    if (at == architectures.end()) fail(table.file, row.line, "unknown architecture " + row.text("architecture"));
    const auto cc = row.text("cc").empty() ? std::pair(0U, 0U) : table.version(row, row.text("cc"));
    for (const auto& device : row.list("devices")) {
      if (device.size() < 6 || device[4] != ' ') fail(table.file, row.line, "\"" + device + "\": expected ID NAME");
      add(row, 0x10de, table.hex(row, device.substr(0, 4)),
          literal("NVIDIA " + device.substr(5)) + ", " + literal(table.need(row, "name")) + ", " +
              std::to_string(at - architectures.begin()) + ", " + pair_text(cc) + ", " + confirmed(row));
    }
    if (row.list("devices").empty()) fail(table.file, row.line, "chip without devices");
  });
  table.each("family", [&](const Row& row) {
    const auto vendor = table.hex(row, table.need(row, "vendor"));
    for (const auto& id : row.list("ids")) {
      add(row, vendor, table.hex(row, id),
          literal(table.need(row, "name") + " (" + table.need(row, "examples") + ")") + ", " +
              literal(row.text("gfx")) + ", -1, {0, 0}, " + confirmed(row));
    }
    if (row.list("ids").empty()) fail(table.file, row.line, "family without ids");
  });
  text.clear();
  for (const auto& [id, rest] : devices) {
    text += "    {" + std::to_string(id.first) + ", " + std::to_string(id.second) + ", " + rest + "},\n";
  }
  return out + array("DeviceRow", "kDevices", text);
}

// One sorted array of rows keyed by a number or version.
template <class Key>
std::string keyed(const Table& table, const std::string& name, const std::string& type, const std::string& array_name,
                  auto&& key_of, auto&& rest_of, auto&& key_text) {
  std::map<Key, std::string> rows;
  table.each(name, [&](const Row& row) {
    if (!rows.emplace(key_of(row), rest_of(row) + ", " + confirmed(row)).second)
      fail(table.file, row.line, name + " is there twice");
  });
  if (rows.empty()) fail(table.file, 0, "no row of " + name);
  std::string text;
  for (const auto& [key, rest] : rows) text += "    {" + key_text(key) + ", " + rest + "},\n";
  return array(type, array_name, text);
}

std::string jit_faults(const Table& table) {
  std::map<std::string, std::string> where, rows;
  table.each("source", [&](const Row& row) { where[row.text("id")] = table.need(row, "where"); });
  table.each("jit_fault", [&](const Row& row) {
    const auto framework = table.need(row, "framework");
    const auto rest = pair_text(table.version(row, table.need(row, "compute_capability"))) + ", " + literal(where[row.text("source")]);
    if (!rows.emplace(framework, rest).second) fail(table.file, row.line, "jit_fault is there twice");
  });
  if (rows.empty()) fail(table.file, 0, "no row of jit_fault");
  std::string text;
  for (const auto& [framework, rest] : rows) text += "    {" + literal(framework) + ", " + rest + "},\n";
  return text;
}

std::string cuda_tables(const Table& table) {
  using Version = std::pair<unsigned, unsigned>;
  const auto version_of = [&](const char* key) {
    return [&table, key](const Row& row) { return table.version(row, table.need(row, key)); };
  };
  const auto number_of = [&](const char* key) {
    return [&table, key](const Row& row) { return table.number(row, table.need(row, key)); };
  };
  const auto text_of = [&](const char* key) {
    return [&table, key](const Row& row) { return literal(table.need(row, key)); };
  };
  const auto level_of = [&](const char* key) {
    return [&table, key](const Row& row) { return pair_text(table.version(row, table.need(row, key))); };
  };
  const auto plain = [](unsigned number) { return std::to_string(number); };
  return keyed<Version>(table, "toolkit", "ToolkitRow", "kToolkits", version_of("cuda"), text_of("driver"), pair_text) +
         keyed<unsigned>(table, "major", "MajorRow", "kMajors", number_of("cuda"), text_of("driver"), plain) +
         keyed<unsigned>(table, "windows_major", "WindowsMajorRow", "kWindowsMajors", number_of("cuda"), text_of("driver"), plain) +
         keyed<unsigned>(table, "branch", "BranchRow", "kBranches", number_of("branch"), level_of("cuda"), plain) +
         keyed<Version>(table, "ptx", "PtxRow", "kPtx", version_of("isa"), level_of("cuda"), pair_text) +
         array("JitFaultRow", "kJitFaults", jit_faults(table));
}

void check_names(const Table& table, const std::set<std::string>& known) {
  for (const auto& row : table.rows) {
    if (known.count(row.table) == 0) fail(table.file, row.line, "unknown table " + row.table);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) fail("generate_gpu_tables", 0, "usage: OUT-FOLDER gpus.toml cuda.toml [other.toml ...]");
  const Table gpus(argv[2]), cuda(argv[3]);
  check_names(gpus, {"architecture", "chip", "family", "source"});
  check_names(cuda, {"toolkit", "major", "windows_major", "branch", "ptx", "jit_fault", "source"});
  check_sources(gpus);
  check_sources(cuda);

  std::string newest;
  for (int i = 2; i < argc; ++i) {
    for (const auto& row : gpuway_tools::RowReader(argv[i]).read()) {
      const auto date = row.text("checked");
      if (date.empty()) continue;
      if (!is_date(date)) fail(argv[i], row.line, "checked is no date: " + date);
      newest = std::max(newest, date);
    }
  }
  const std::filesystem::path folder(argv[1]);
  std::filesystem::create_directories(folder);
  write(folder / "gpus_data.inc", gpu_tables(gpus));
  write(folder / "cuda_data.inc", cuda_tables(cuda));
  write(folder / "knowledge_date.inc", "constexpr std::string_view kNewestRow = " + literal(newest) + ";\n");
  return 0;
}
