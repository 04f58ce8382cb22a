// Turns data/tables/imports.toml and python_pins.toml into constexpr tables:
//   generate_import_tables OUT.inc imports.toml python_pins.toml
// Names are kept once, sorted; each measured row says with one letter per name what the import needs of it and what an
// empty file of that name does.
#include <algorithm>
#include <filesystem>
#include <set>

#include "toml_rows.h"

using gpuway_tools::Row;

namespace {

std::string literal(const std::string& text) { return "\"" + text + "\""; }

// '-' not asked for, the letter of the list that holds it otherwise.
std::string letters(const std::vector<std::string>& pool, const Row& row,
                    const std::vector<std::pair<const char*, char>>& lists) {
  std::string out(pool.size(), '-');
  for (const auto& [key, letter] : lists) {
    for (const auto& name : row.list(key)) {
      out[static_cast<std::size_t>(std::lower_bound(pool.begin(), pool.end(), name) - pool.begin())] = letter;
    }
  }
  return literal(out);
}

void need(const std::string& file, const Row& row, std::initializer_list<const char*> keys) {
  for (const auto* key : keys) {
    if (row.text(key).empty()) gpuway_tools::fail(file, row.line, row.table + " without " + key);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) gpuway_tools::fail("generate_import_tables", 0, "usage: OUT.inc imports.toml python_pins.toml");
  const std::string imports = argv[2], pins = argv[3];
  const auto rows = gpuway_tools::RowReader(imports).read();
  std::set<std::string> names, standard;
  for (const auto& row : rows) {
    if (row.table == "stdlib") standard.insert(row.list("names").begin(), row.list("names").end());
    for (const auto* key : {"hard", "optional", "shadow_breaks", "shadow_harmless", "shadow_dies"}) {
      names.insert(row.list(key).begin(), row.list(key).end());
    }
  }
  const std::vector<std::string> pool(names.begin(), names.end());
  std::string out = "constexpr std::string_view kNames[] = {\n";
  for (const auto& name : pool) out += "    " + literal(name) + ",\n";
  out += "};\nconstexpr std::string_view kStandard = \n    ";
  for (const auto& name : pool) out += standard.count(name) != 0 ? "\"s\"" : "\"-\"";
  out += ";\n";
  std::string row_text, module_text, startup_text, key_text;
  for (const auto& row : rows) {
    if (row.table == "import") {
      need(imports, row, {"framework", "from", "python", "source", "checked"});
      row_text += "    {" + literal(row.text("framework")) + ", " + literal(row.text("from")) + ", " +
                  literal(row.text("python")) + ", " + letters(pool, row, {{"optional", 'o'}, {"hard", 'h'}}) +
                  ",\n     " +
                  letters(pool, row, {{"shadow_harmless", 'h'}, {"shadow_breaks", 'b'}, {"shadow_dies", 'd'}}) + "},\n";
    } else if (row.table == "module") {
      need(imports, row, {"name", "distribution"});
      module_text += "    {" + literal(row.text("name")) + ", " + literal(row.text("distribution")) + "},\n";
    } else if (row.table == "startup") {
      need(imports, row, {"by", "below", "source", "checked"});
      for (const auto& name : row.list("names")) {
        startup_text +=
            "    {" + literal(row.text("by")) + ", " + literal(row.text("below")) + ", " + literal(name) + "},\n";
      }
    } else if (row.table == "key_file") {
      need(imports, row, {"framework", "source", "checked"});
      for (const auto& path : row.list("paths")) {
        key_text += "    {" + literal(row.text("framework")) + ", " + literal(path) + "},\n";
      }
    } else if (row.table != "stdlib") {
      gpuway_tools::fail(imports, row.line, "unknown table " + row.table);
    }
  }
  out += "constexpr ImportRow kImportRows[] = {\n" + row_text + "};\n";
  out += "constexpr ModuleRow kModules[] = {\n" + module_text + "};\n";
  out += "constexpr StartupRow kStartup[] = {\n" + startup_text + "};\n";
  out += "constexpr KeyFileRow kKeyFiles[] = {\n" + key_text + "};\n";
  std::filesystem::create_directories(std::filesystem::path(argv[1]).parent_path());
  std::ofstream(argv[1]) << out;

  out = "constexpr PinRow kPins[] = {\n";
  for (const auto& row : gpuway_tools::RowReader(pins).read()) {
    if (row.table != "pin") gpuway_tools::fail(pins, row.line, "unknown table " + row.table);
    need(pins, row, {"framework", "package", "fails", "needs", "finding", "source", "checked"});
    std::string line;
    for (const auto* key : {"framework", "from", "until", "package", "fails", "when_package", "when", "python", "needs",
                            "finding", "source"}) {
      line += (line.empty() ? "" : ", ") + literal(row.text(key));
    }
    out += "    {" + line + "},\n";
  }
  out += "};\n";
  const auto pins_out = std::filesystem::path(argv[1]).parent_path() / "python_pins_data.inc";
  std::ofstream(pins_out) << out;
  return 0;
}
