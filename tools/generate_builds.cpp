// Turns data/tables/builds.toml into a constexpr table:
//   generate_builds builds.toml OUT-FILE
// Refuses a row without source or date, unknown words, versions that are none, a build with CUDA and no GPU code, and a
// build that is there twice.
#include <algorithm>
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

std::string word(const std::string& file, const Row& row, const std::string& key, const std::set<std::string>& allowed) {
  auto text = need(file, row, key);
  if (allowed.count(text) == 0) fail(file, row.line, "unknown " + key + ": " + text);
  return text;
}

// "12.4" and the like; or nothing.
std::string version(const std::string& file, const Row& row, const std::string& text) {
  const auto dot = text.find('.');
  const bool fits = dot != std::string::npos && dot > 0 && dot + 1 < text.size() &&
                    text.find_first_not_of("0123456789", dot + 1) == std::string::npos && text.find_first_not_of("0123456789") == dot;
  if (!fits) fail(file, row.line, "\"" + text + "\" is no MAJOR.MINOR");
  return "{" + text.substr(0, dot) + ", " + text.substr(dot + 1) + "}";
}

std::string joined(const std::string& file, const Row& row, const std::string& key, char between, bool versions) {
  std::string out;
  for (const auto& value : row.list(key)) {
    if (versions) version(file, row, value);
    if (value.find(between) != std::string::npos) fail(file, row.line, key + ": \"" + value + "\" holds a separator");
    out += (out.empty() ? "" : std::string(1, between)) + value;
  }
  return literal(out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("generate_builds", 0, "usage: generate_builds builds.toml OUT-FILE");
  const std::string file = argv[1];
  std::set<std::string> sources, seen;
  std::string builds;
  for (const auto& row : gpuway_tools::RowReader(file).read()) {
    if (row.table == "source") {
      need(file, row, "where");
      sources.insert(need(file, row, "id"));
      continue;
    }
    if (row.table != "build") fail(file, row.line, "unknown table " + row.table);
    need(file, row, "checked");
    need(file, row, "python");
    need(file, row, "install");
    if (sources.count(need(file, row, "source")) == 0) fail(file, row.line, "unknown source " + row.text("source"));
    const auto framework = word(file, row, "framework", {"tensorflow", "pytorch", "jax", "onnxruntime", "keras"});
    const auto system = word(file, row, "system", {"windows", "linux"});
    const auto gpu = word(file, row, "gpu", {"cuda", "directml", "rocm", "xpu", "none"});
    if ((gpu == "cuda") != !row.text("cuda").empty()) fail(file, row.line, "cuda belongs to a build with CUDA, and to no other");
    if (gpu == "cuda" && row.list("code").empty()) fail(file, row.line, "a build with CUDA and without GPU code");
    const auto cuda = gpu == "cuda" ? version(file, row, row.text("cuda")) : std::string("{}");
    const auto install = joined(file, row, "install", ';', false);
    if (!seen.insert(framework + system + gpu + install + row.text("index")).second) fail(file, row.line, install + " is there twice");
    builds += "    {" + literal(framework) + ", " + literal(need(file, row, "package")) + ", " + literal(need(file, row, "version")) + ", " +
              literal(system) + ", " + joined(file, row, "python", ' ', true) + ", " + literal(gpu) + ", " + cuda + ", " +
              literal(row.text("cudnn")) + ", " + joined(file, row, "code", ' ', true) + ", " + joined(file, row, "ptx", ' ', true) + ", " + install +
              ", " + joined(file, row, "extra", ';', false) + ", " + literal(row.text("index")) + ", " + literal(row.text("frozen")) + ", " +
              literal(row.text("fault")) + ", " + (row.text("unconfirmed").empty() ? "true" : "false") + "},\n";
  }
  std::ofstream out(argv[2], std::ios::binary);
  out << "constexpr FrameworkBuild kBuilds[] = {\n" << builds << "};\n";
  if (!out.flush()) fail(argv[2], 0, "cannot be written");
  return 0;
}
