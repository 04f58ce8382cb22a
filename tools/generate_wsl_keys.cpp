// Turns data/tables/wsl_keys.toml into a constexpr table:
//   generate_wsl_keys wsl_keys.toml OUT-FILE
// Refuses a row without source, a key that is there twice, an unknown type, and an enum without values.
#include <set>

#include "toml_rows.h"

using gpuway_tools::fail;
using gpuway_tools::Row;

namespace {

std::string literal(const std::string& text) { return "\"" + text + "\""; }

std::string need(const std::string& file, const Row& row, const std::string& key) {
  if (row.text(key).empty()) fail(file, row.line, row.table + " without " + key);
  return row.text(key);
}

std::string word(const std::string& file, const Row& row, const std::string& key,
                 const std::set<std::string>& allowed) {
  auto text = need(file, row, key);
  if (allowed.count(text) == 0) fail(file, row.line, "unknown " + key + ": " + text);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("generate_wsl_keys", 0, "usage: generate_wsl_keys wsl_keys.toml OUT-FILE");
  const std::string file = argv[1];
  std::set<std::string> sources, names;
  std::string keys;
  for (const auto& row : gpuway_tools::RowReader(file).read()) {
    if (row.table == "source") {
      need(file, row, "where");
      sources.insert(need(file, row, "id"));
      continue;
    }
    if (row.table != "key") fail(file, row.line, "unknown table " + row.table);
    need(file, row, "checked");
    if (sources.count(need(file, row, "source")) == 0) fail(file, row.line, "unknown source " + row.text("source"));
    const auto place = word(file, row, "file", {"wslconfig", "wsl.conf"});
    const auto type =
        word(file, row, "type", {"bool", "int", "size", "string", "path", "enum", "list", "ip", "mac", "octal"});
    if ((type == "enum") == row.list("values").empty())
      fail(file, row.line, "values belong to an enum, and to nothing else");
    std::string values;
    for (const auto& value : row.list("values")) values += (values.empty() ? "" : " ") + value;
    for (const auto& name : {need(file, row, "name"), row.text("alias")}) {
      if (name.empty()) continue;
      const auto dot = name.find('.');
      if (dot == std::string::npos || dot == 0 || dot + 1 == name.size())
        fail(file, row.line, "\"" + name + "\" is no SECTION.KEY");
      if (!names.insert(place + " " + name).second) fail(file, row.line, name + " is there twice");
    }
    keys += "    {" + literal(place) + ", " + literal(row.text("name")) + ", " + literal(type) + ", " +
            literal(values) + ", " + literal(row.text("alias")) + "},\n";
  }
  std::ofstream out(argv[2], std::ios::binary);
  out << "constexpr WslKey kWslKeys[] = {\n" << keys << "};\n";
  if (!out.flush()) fail(argv[2], 0, "cannot be written");
  return 0;
}
