#include "think/formats/python_records.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "think/formats/python_files.h"

namespace gpuway {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxRecordLines = 1'000'000, kMaxDepends = 10'000;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<Json> parse_object(std::string_view text, const Json::parser_callback_t& keep = nullptr, bool comments = false) {
  auto value = Json::parse(text, keep, false, comments);
  if (value.is_discarded())
    return make_error(ErrorCode::malformed, "no JSON (" + std::to_string(text.size()) + " bytes)");
  if (!value.is_object())
    return make_error(ErrorCode::malformed, std::string("a JSON ") + value.type_name() + ", expected an object");
  return value;
}

/// One CSV row at a time; a quoted field may hold commas, doubled quotes and line ends.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}
  bool done() const { return at_ >= text_.size(); }
  std::size_t line() const { return line_; }

  Result<std::vector<std::string>> row() {
    std::vector<std::string> fields(1);
    const auto start = line_;
    bool quoted = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (quoted) {
        if (c != '"') {
          fields.back() += c;
        } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
          fields.back() += text_[++at_];
        } else {
          quoted = false;
        }
      } else if (c == '"' && fields.back().empty()) {
        quoted = true;
      } else if (c == ',') {
        if (fields.size() == 3)
          return make_error(ErrorCode::malformed, "line " + std::to_string(start) + " has more than 3 fields");
        fields.emplace_back();
      } else if (c == '\n' || c == '\r') {
        if (c == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') continue;
        ++at_;
        return fields;
      } else {
        fields.back() += c;
      }
    }
    if (quoted)
      return make_error(ErrorCode::malformed, "line " + std::to_string(start) + " has a quote that is never closed");
    return fields;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

Result<std::vector<RecordEntry>> parse_record(std::string_view text) {
  std::vector<RecordEntry> entries;
  CsvReader reader(text);
  while (!reader.done()) {
    const auto line = reader.line();
    GPUWAY_TRY_ASSIGN(auto fields, reader.row());
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (entries.size() == kMaxRecordLines) {
      return make_error(ErrorCode::too_large, "more than " + std::to_string(kMaxRecordLines) + " lines");
    }
    RecordEntry entry{std::move(fields[0]), {}, std::nullopt};
    if (fields.size() > 1) entry.hash = std::move(fields[1]);
    if (fields.size() > 2 && !fields[2].empty()) {
      const auto size = to_integer(fields[2]);
      if (!size || *size < 0) {
        return make_error(ErrorCode::malformed,
                          "line " + std::to_string(line) + ": the size \"" + fields[2] + "\" is no number");
      }
      entry.size = static_cast<std::uint64_t>(*size);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<DirectUrl> parse_direct_url(std::string_view json) {
  GPUWAY_TRY_ASSIGN(const auto object, parse_object(json));
  DirectUrl origin;
  origin.url = text_of(object, "url");
  if (origin.url.empty()) return make_error(ErrorCode::malformed, "no \"url\"");
  if (const auto folder = object.find("dir_info"); folder != object.end() && folder->is_object()) {
    const auto editable = folder->find("editable");
    origin.editable = editable != folder->end() && editable->is_boolean() && editable->get<bool>();
  }
  if (const auto vcs = object.find("vcs_info"); vcs != object.end() && vcs->is_object()) {
    origin.vcs = text_of(*vcs, "vcs");
    origin.commit = text_of(*vcs, "commit_id");
  }
  return origin;
}

std::optional<CondaRecord> parse_conda_file_name(std::string_view file_name) {
  if (!file_name.ends_with(".json")) return std::nullopt;
  const auto stem = file_name.substr(0, file_name.size() - 5);
  const auto last = stem.rfind('-');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  const auto middle = stem.rfind('-', last - 1);
  if (middle == std::string_view::npos || middle == 0) return std::nullopt;
  CondaRecord record;
  record.name = normalized_name(stem.substr(0, middle));
  record.version = stem.substr(middle + 1, last - middle - 1);
  record.build = stem.substr(last + 1);
  if (record.version.empty() || record.build.empty()) return std::nullopt;
  return record;
}

Result<CondaRecord> parse_conda_record(std::string_view json) {
  const auto keep = [](int depth, Json::parse_event_t event, Json& value) {
    return !(depth == 1 && event == Json::parse_event_t::key && (value == "files" || value == "paths_data"));
  };
  GPUWAY_TRY_ASSIGN(const auto object, parse_object(json, keep));
  CondaRecord record;
  record.name = normalized_name(text_of(object, "name"));
  record.version = text_of(object, "version");
  record.build = text_of(object, "build");
  record.channel = text_of(object, "channel");
  if (record.name.empty() || record.version.empty())
    return make_error(ErrorCode::malformed, "no \"name\" or no \"version\"");
  if (const auto depends = object.find("depends"); depends != object.end() && depends->is_array()) {
    for (const auto& entry : *depends) {
      if (record.depends.size() >= kMaxDepends) break;
      if (entry.is_string()) record.depends.push_back(entry.get<std::string>());
    }
  }
  return record;
}

Result<std::string> parse_kernel_interpreter(std::string_view json) {
  GPUWAY_TRY_ASSIGN(const auto object, parse_object(json));
  const auto argv = object.find("argv");
  if (argv == object.end() || !argv->is_array() || argv->empty() || !argv->front().is_string()) {
    return make_error(ErrorCode::malformed, "no \"argv\" with a program");
  }
  return argv->front().get<std::string>();
}

Result<std::string> parse_vscode_interpreter(std::string_view json) {
  GPUWAY_TRY_ASSIGN(const auto object, parse_object(json, nullptr, true));
  auto interpreter = text_of(object, "python.defaultInterpreterPath");
  if (interpreter.empty()) interpreter = text_of(object, "python.pythonPath");  // its name until 2021
  return interpreter;
}

}  // namespace gpuway
