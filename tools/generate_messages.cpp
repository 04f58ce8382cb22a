// Turns data/messages/<lang>.json into sorted constexpr tables:
//   generate_messages OUT.inc en.json zh.json ...
// Fails with one line that names the file and the entry when a text is no string or a file is no JSON.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

int fail(const std::string& file, const std::string& what) {
  std::cerr << file << ": " << what << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fail("generate_messages", "usage: generate_messages OUT.inc en.json [zh.json ...]");
  std::string out;
  std::string index;
  for (int i = 2; i < argc; ++i) {
    const std::filesystem::path path(argv[i]);
    const auto lang = path.stem().string();
    std::ifstream in(path);
    const auto data = nlohmann::json::parse(in, nullptr, false);
    if (!data.is_object() || !data.contains("findings") || !data.contains("words") || !data.contains("next_steps") || !data.contains("phrases") || !data.contains("causes") ||
        !data.contains("questions"))
      return fail(path, "expected an object with findings, causes, next_steps, phrases, questions and words");
    out += "constexpr FindingText k_findings_" + lang + "[] = {\n";
    for (const auto& [id, texts] : data["findings"].items()) {   // nlohmann::json keeps keys sorted
      for (const auto& [key, text] : texts.items()) {
        if (!text.is_string()) return fail(path, id + "/" + key + ": expected text");
      }
      out += "    {" + quoted(id) + ", " + quoted(texts.value("title", "")) + ", " + quoted(texts.value("note", "")) + "},\n";
    }
    out += "};\n";
    out += "constexpr CauseText k_causes_" + lang + "[] = {\n";
    for (const auto& [id, texts] : data["causes"].items()) {
      for (const auto& [key, text] : texts.items()) {
        if (!text.is_string()) return fail(path, id + "/" + key + ": expected text");
      }
      out += "    {" + quoted(id) + ", " + quoted(texts.value("title", "")) + ", " + quoted(texts.value("step", "")) + "},\n";
    }
    out += "};\n";
    for (const std::string section : {"next_steps", "phrases", "questions", "words"}) {
      out += "constexpr WordText k_" + section + "_" + lang + "[] = {\n";
      for (const auto& [id, text] : data[section].items()) {
        if (!text.is_string()) return fail(path, section + "/" + id + ": expected text");
        out += "    {" + quoted(id) + ", " + quoted(text.get<std::string>()) + "},\n";
      }
      out += "};\n";
    }
    index += "    {" + quoted(lang) + ", k_findings_" + lang + ", k_causes_" + lang + ", k_next_steps_" + lang + ", k_phrases_" + lang + ", k_questions_" + lang + ", k_words_" + lang + "},\n";
  }
  out += "constexpr Language k_languages[] = {\n" + index + "};\n";
  std::filesystem::create_directories(std::filesystem::path(argv[1]).parent_path());
  std::ofstream(argv[1]) << out;
  return 0;
}
