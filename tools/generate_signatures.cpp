// Turns data/tables/signatures.toml into constexpr tables for think/explain:
//   generate_signatures OUT.inc signatures.toml findings.toml
// Literals are written as the matcher compares them (small letters, one blank between words) and sorted; each knows the
// rows that use it. Refuses a row without source or date, a cause that is not in the vocabulary of findings.toml, a
// literal that is too short to be told from chance, an unknown key, capture or condition.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "toml_rows.h"

using gpuway_tools::fail;
using gpuway_tools::Row;

namespace {

// The matcher finds a literal by its last bytes without blanks (kTail in think/explain/matcher.cpp).
constexpr std::size_t kShortest = 6;

const std::set<std::string> kSignatureKeys = {"id",    "all",     "any",     "unless",   "near",     "when",     "library", "program",
                                              "proves", "suggests", "explains", "harmless", "asks", "versions", "source",  "checked", "unconfirmed"};
const std::set<std::string> kFactKeys = {"id", "any", "near", "capture", "value", "library", "source", "checked", "unconfirmed"};
const std::set<std::string> kCaptures = {"", "version", "python", "library", "foreign"};

std::string literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : "|") + word;
  return literal(out);
}

struct Tables {
  std::string file;
  std::set<std::string> causes, sources, ids, facts;
  std::map<std::string, std::set<std::size_t>> uses;   // literal -> rows; facts come after the signatures
  std::map<std::string, std::size_t> numbers;

  std::string normal(const Row& row, const std::string& text) const {
    std::string out;
    std::size_t letters = 0;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\\') fail(file, row.line, "a backslash: paths are matched with /: " + text);
      if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
      out += byte < 0x80 ? static_cast<char>(std::tolower(byte)) : c;
      if (c != ' ') ++letters;
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    if (letters < kShortest) fail(file, row.line, "shorter than " + std::to_string(kShortest) + " characters: " + text);
    return out;
  }
  std::string need(const Row& row, const std::string& key) const {
    if (row.text(key).empty()) fail(file, row.line, row.text("id") + " without " + key);
    return row.text(key);
  }
  void known_keys(const Row& row, const std::set<std::string>& known) const {
    for (const auto& [key, value] : row.values) {
      if (known.count(key) == 0) fail(file, row.line, "unknown key " + key);
    }
  }
  void use(const Row& row, const std::string& key, std::size_t number) {
    for (const auto& text : row.list(key)) uses[normal(row, text)].insert(number);
  }
  // "cause 90": a cause of the vocabulary with a weight from 1 to 99, since no text proves anything beyond doubt.
  void check_weights(const Row& row, const std::string& key) const {
    for (const auto& text : row.list(key)) {
      const auto space = text.find(' ');
      const auto weight = space == std::string::npos ? 0 : std::atoi(text.c_str() + space + 1);
      if (causes.count(text.substr(0, space)) == 0) fail(file, row.line, "not in the vocabulary: " + text);
      if (weight < 1 || weight > 99) fail(file, row.line, "no weight from 1 to 99: " + text);
    }
  }
  void check_conditions(const Row& row) const {
    for (const auto& text : row.list("when")) {
      const auto end = text.find_first_of("<>=!");
      if (facts.count(text.substr(text[0] == '-' ? 1 : 0, end - (text[0] == '-' ? 1 : 0))) == 0) fail(file, row.line, "no fact of that name: " + text);
    }
  }
  std::string indexes(const Row& row, const std::string& key, std::string& all, std::size_t& count) const {
    const auto first = count;
    for (const auto& text : row.list(key)) {
      all += std::to_string(numbers.at(normal(row, text))) + ", ";
      ++count;
    }
    return "{" + std::to_string(first) + ", " + std::to_string(count - first) + "}";
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) fail("generate_signatures", 0, "usage: generate_signatures OUT.inc signatures.toml findings.toml");
  Tables tables;
  tables.file = argv[2];
  for (const auto& row : gpuway_tools::RowReader(argv[3]).read()) {
    if (row.table == "finding") tables.causes.insert(row.text("id"));
    if (row.table == "reserved") tables.causes.insert(row.list("ids").begin(), row.list("ids").end());
  }
  std::vector<Row> signatures, facts;
  std::string questions;
  // Facts that the reader itself works out beside those of the table.
  tables.facts = {"system", "compute-capability", "wanted-cuda", "dependency-named"};
  for (const auto& row : gpuway_tools::RowReader(tables.file).read()) {
    if (row.table == "source") {
      tables.need(row, "where");
      if (!tables.sources.insert(tables.need(row, "id")).second) fail(tables.file, row.line, "the source is there twice");
      continue;
    }
    if (row.table == "question") {
      for (const auto* key : {"id", "linux", "windows", "checked"}) tables.need(row, key);
      for (const auto& cause : row.list("causes")) {
        if (tables.causes.count(cause) == 0) fail(tables.file, row.line, "not in the vocabulary: " + cause);
      }
      questions += "    {" + literal(row.text("id")) + ", " + joined(row.list("causes")) + ", " + literal(row.text("linux")) + ", " + literal(row.text("windows")) + "},\n";
      continue;
    }
    if (tables.sources.count(tables.need(row, "source")) == 0) fail(tables.file, row.line, "unknown source " + row.text("source"));
    tables.need(row, "checked");
    if (row.table == "signature") {
      tables.known_keys(row, kSignatureKeys);
      if (!tables.ids.insert(tables.need(row, "id")).second) fail(tables.file, row.line, row.text("id") + " is there twice");
      if (row.list("all").empty() && row.list("any").empty()) fail(tables.file, row.line, "a signature without a literal");
      for (const auto* key : {"proves", "suggests"}) tables.check_weights(row, key);
      for (const auto& cause : row.list("explains")) {
        if (tables.causes.count(cause) == 0) fail(tables.file, row.line, "not in the vocabulary: " + cause);
      }
      signatures.push_back(row);
    } else if (row.table == "fact") {
      tables.known_keys(row, kFactKeys);
      tables.facts.insert(tables.need(row, "id"));
      if (row.list("any").empty()) fail(tables.file, row.line, "a fact without a literal");
      if (kCaptures.count(row.text("capture")) == 0) fail(tables.file, row.line, "unknown capture " + row.text("capture"));
      if (row.text("capture").empty()) tables.need(row, "value");
      facts.push_back(row);
    } else {
      fail(tables.file, row.line, "unknown table " + row.table);
    }
  }
  for (const auto& row : signatures) tables.check_conditions(row);
  std::size_t number = 0;
  for (const auto& row : signatures) {
    for (const auto* key : {"all", "any", "unless"}) tables.use(row, key, number);
    ++number;
  }
  for (const auto& row : facts) tables.use(row, "any", number++);

  std::string literals, users, index, rows;
  std::size_t user_count = 0, index_count = 0;
  for (const auto& [text, used_by] : tables.uses) {
    tables.numbers.emplace(text, tables.numbers.size());
    literals += "    {" + literal(text) + ", {" + std::to_string(user_count) + ", " + std::to_string(used_by.size()) + "}},\n";
    for (const auto user : used_by) users += std::to_string(user) + ", ";
    user_count += used_by.size();
  }
  const auto near_of = [](const Row& row) { return row.text("near").empty() ? std::string("2") : row.text("near"); };
  for (const auto& row : signatures) {
    rows += "    {" + literal(row.text("id"));
    for (const auto* key : {"all", "any", "unless"}) rows += ", " + tables.indexes(row, key, index, index_count);
    rows += ", " + near_of(row) + ", " + joined(row.list("when")) + ", " + joined(row.list("library")) + ", " + joined(row.list("proves")) + ", " +
            joined(row.list("suggests")) + ", " + joined(row.list("explains")) + ", " + (row.text("harmless") == "yes" ? "true" : "false") + "},\n";
  }
  std::string fact_rows;
  for (const auto& row : facts) {
    fact_rows += "    {" + literal(row.text("id")) + ", " + literal(row.text("capture")) + ", " + literal(row.text("value")) + "},\n";
  }
  std::filesystem::create_directories(std::filesystem::path(argv[1]).parent_path());
  std::ofstream out(argv[1], std::ios::binary);
  out << "constexpr LiteralRow kLiterals[] = {\n" << literals << "};\nconstexpr std::uint16_t kUsers[] = {" << users
      << "};\nconstexpr std::uint16_t kIndexes[] = {" << index << "};\nconstexpr SignatureRow kSignatures[] = {\n" << rows
      << "};\nconstexpr FactRow kFacts[] = {\n" << fact_rows
      << "};\nconstexpr QuestionRow kQuestions[] = {\n" << questions << "};\n";
  if (!out.flush()) fail(argv[1], 0, "cannot be written");
  return 0;
}
