// Turns data/tables/findings.toml into a constexpr table sorted by id:
//   generate_findings OUT.inc findings.toml python_pins.toml
// Fails with file and line when an id is there twice, a word is unknown, or a pin names a finding that is not there.
#include <algorithm>
#include <filesystem>
#include <set>

#include "toml_rows.h"

using gpuway_tools::fail;
using gpuway_tools::Row;

namespace {

const std::set<std::string> kLinks = {"import",         "wheel",  "interpreter", "gpu-libraries", "driver-library",
                                      "driver-version", "device", "gpu-code",    "container",     "wsl"};
const std::set<std::string> kSeverities = {"error", "warning", "note"};
const std::set<std::string> kSystems = {"any", "linux", "windows", "wsl"};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + word;
  return "\"" + out + "\"";
}

bool is_kebab(const std::string& id) {
  return !id.empty() && id.front() != '-' && id.back() != '-' &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

void check(const std::string& file, const Row& row) {
  const auto one_of = [&](const char* key, const std::set<std::string>& known) {
    if (row.list(key).empty()) fail(file, row.line, row.text("id") + " without " + key);
    for (const auto& word : row.list(key)) {
      if (known.count(word) == 0) fail(file, row.line, row.text("id") + ": unknown " + key + " " + word);
    }
  };
  if (!is_kebab(row.text("id"))) fail(file, row.line, "no id of small letters, digits and hyphens: " + row.text("id"));
  one_of("link", kLinks);
  one_of("severity", kSeverities);
  one_of("systems", kSystems);
  one_of("origin", {"cases", "gpuway"});
  if (row.list("next_steps").empty()) fail(file, row.line, row.text("id") + " without next_steps");
  if (row.text("checked").empty()) fail(file, row.line, row.text("id") + " without checked");
  if (row.text("origin") == "gpuway" && row.text("meaning").empty())
    fail(file, row.line, row.text("id") + " is ours and has no meaning");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) fail("generate_findings", 0, "usage: OUT.inc findings.toml python_pins.toml");
  const std::string findings = argv[2], pins = argv[3];
  std::set<std::string> taken, ids;
  std::vector<Row> rows;
  for (const auto& row : gpuway_tools::RowReader(findings).read()) {
    auto names = row.table == "finding" ? row.list("id") : row.list("ids");
    if (row.table != "finding" && row.table != "reserved" && row.table != "retired")
      fail(findings, row.line, "unknown table " + row.table);
    for (const auto& id : names) {
      if (!taken.insert(id).second) fail(findings, row.line, id + " is there twice");
    }
    if (row.table != "finding") continue;
    check(findings, row);
    ids.insert(row.text("id"));
    rows.push_back(row);
  }
  for (const auto& row : gpuway_tools::RowReader(pins).read()) {
    if (ids.count(row.text("finding")) == 0) fail(pins, row.line, "unknown finding " + row.text("finding"));
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.text("id") < b.text("id"); });
  std::string out = "constexpr FindingRow kFindings[] = {\n";
  for (const auto& row : rows) {
    out += "    {\"" + row.text("id") + "\", \"" + row.text("link") + "\", \"" + row.text("severity") + "\", " +
           joined(row.list("args")) + ", " + joined(row.list("next_steps")) + "},\n";
  }
  out += "};\n";
  std::filesystem::create_directories(std::filesystem::path(argv[1]).parent_path());
  std::ofstream(argv[1]) << out;
  return 0;
}
