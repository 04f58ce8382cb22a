// Turns data/tables/loads.toml into constexpr tables:
//   generate_loads loads.toml OUT-FILE
// Refuses a row without source, an unknown library, stage or outcome, and a release that is no number.
#include <set>

#include "toml_rows.h"

using gpuway_tools::fail;
using gpuway_tools::Row;

namespace {

std::string literal(const std::string& text) { return "\"" + text + "\""; }

struct Loads {
  std::string file;
  std::vector<Row> rows;
  std::set<std::string> sources, libraries;

  std::string need(const Row& row, const std::string& key) const {
    if (row.text(key).empty()) fail(file, row.line, row.table + " without " + key);
    return row.text(key);
  }
  std::string word(const Row& row, const std::string& key, const std::set<std::string>& allowed) const {
    const auto text = need(row, key);
    if (allowed.count(text) == 0) fail(file, row.line, "unknown " + key + ": " + text);
    return text;
  }
  // "2.11" -> "{2, 11}"; a bound that is left out holds for every release.
  std::string version(const Row& row, const std::string& text, const char* otherwise) const {
    if (text.empty()) return otherwise;
    const auto dot = text.find('.');
    const auto is_number = [](const std::string& part) {
      return !part.empty() && part.size() <= 4 && part.find_first_not_of("0123456789") == std::string::npos;
    };
    if (dot == std::string::npos || !is_number(text.substr(0, dot)) || !is_number(text.substr(dot + 1))) {
      fail(file, row.line, "\"" + text + "\" is no release MAJOR.MINOR");
    }
    return "{" + text.substr(0, dot) + ", " + text.substr(dot + 1) + "}";
  }
  std::string place(const Row& row) const {
    return literal(need(row, "framework")) + ", " + literal(word(row, "system", {"linux", "windows"})) + ", " +
           version(row, row.text("since"), "{0, 0}") + ", " + version(row, row.text("before"), "{9999, 0}");
  }
};

std::string numbers_of(const Loads& loads, const Row& row) {
  std::string out;
  for (const auto& pair : row.list("numbers")) {
    const auto space = pair.find(' ');
    if (space == std::string::npos) fail(loads.file, row.line, "\"" + pair + "\": expected CUDA NUMBER");
    out += "    {" + literal(loads.need(row, "library")) + ", " + loads.version(row, pair.substr(0, space), "") + ", " +
           literal(pair.substr(space + 1)) + "},\n";
  }
  if (out.empty()) fail(loads.file, row.line, "cuda_library without numbers");
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("generate_loads", 0, "usage: generate_loads loads.toml OUT-FILE");
  Loads loads;
  loads.file = argv[1];
  loads.rows = gpuway_tools::RowReader(loads.file).read();
  for (const auto& row : loads.rows) {
    if (row.table == "source") {
      loads.need(row, "where");
      loads.sources.insert(loads.need(row, "id"));
    } else if (row.table == "cuda_library") {
      if (!loads.libraries.insert(loads.need(row, "library")).second) fail(loads.file, row.line, "the library is there twice");
    }
  }
  std::string numbers, opened, holders;
  for (const auto& row : loads.rows) {
    if (row.table == "source") continue;
    loads.need(row, "checked");
    if (loads.sources.count(loads.need(row, "source")) == 0) fail(loads.file, row.line, "unknown source " + row.text("source"));
    if (row.table == "cuda_library") {
      numbers += numbers_of(loads, row);
    } else if (row.table == "load") {
      const auto library = loads.need(row, "library");
      const bool is_file = library.find('.') != std::string::npos;
      if (!is_file && library != "cudnn" && loads.libraries.count(library) == 0) fail(loads.file, row.line, "unknown library " + library);
      const bool at_import = loads.word(row, "stage", {"import", "devices"}) == "import";
      const bool harmless = loads.word(row, "miss", {"no-gpu", "harmless"}) == "harmless";
      opened += "    {" + loads.place(row) + ", " + (at_import ? "LoadStage::import" : "LoadStage::devices") + ", " + literal(library) +
                ", " + (harmless ? "true" : "false") + "},\n";
    } else if (row.table == "holder") {
      holders += "    {" + loads.place(row) + ", " + literal(loads.need(row, "opens")) + ", " + literal(loads.need(row, "code")) + "},\n";
    } else {
      fail(loads.file, row.line, "unknown table " + row.table);
    }
  }
  std::ofstream out(argv[2], std::ios::binary);
  out << "constexpr NumberRow kNumbers[] = {\n" << numbers << "};\nconstexpr LoadRow kLoads[] = {\n" << opened
      << "};\nconstexpr HolderRow kHolders[] = {\n" << holders << "};\n";
  if (!out.flush()) fail(argv[2], 0, "cannot be written");
  return 0;
}
