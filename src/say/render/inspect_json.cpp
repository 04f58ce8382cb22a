#include <nlohmann/json.hpp>

#include "base/text.h"
#include "say/render/document.h"
#include "say/render/inspect.h"

namespace gpuway {
namespace {

using Json = nlohmann::ordered_json;
using Row = GpuCodeSummary::Row;

Json text(const std::string& bytes) { return to_json_text(bytes); }
Json text_or_null(const std::string& bytes) { return bytes.empty() ? Json(nullptr) : Json(to_json_text(bytes)); }
Json text_or_null(const std::optional<std::string>& bytes) { return bytes ? text(*bytes) : Json(nullptr); }

const char* kind_word(Row::Kind kind) {
  switch (kind) {
    case Row::Kind::machine_code: return "machine-code";
    case Row::Kind::ptx: return "ptx";
    case Row::Kind::lto: return "lto";
    case Row::Kind::other: break;
  }
  return "other";
}

Json need_of(const InspectedNeed& need) {
  Json searched = Json::array();
  for (const auto& place : need.searched) {
    searched.push_back({{"rule", place.rule}, {"path", text(place.path)}, {"outcome", place.outcome}});
  }
  return {{"name", text(need.name)},
          {"asked_by", text(need.asked_by)},
          {"direct", need.direct},
          {"state", need.state},
          {"path", text_or_null(need.path)},
          {"rule", text_or_null(need.rule)},
          {"version", text_or_null(need.version)},
          {"searched", searched}};
}

Json code_of(const InspectedFile& file) {
  Json architectures = Json::array();
  if (!file.gpu_code) {
    return {
        {"state", "undetermined"}, {"reason", text_or_null(file.gpu_code_detail)}, {"architectures", architectures}};
  }
  for (const auto& row : file.gpu_code->rows) {
    const bool ptx = row.kind == Row::Kind::ptx;
    architectures.push_back(
        {{"name", architecture_name(row)},
         {"kind", kind_word(row.kind)},
         {"compute_capability", std::to_string(row.arch / 10) + "." + std::to_string(row.arch % 10)},
         {"variant", row.variant == 0 ? Json(nullptr) : Json(std::string(1, row.variant))},
         {"ptx_isa", ptx ? Json(std::to_string(row.ptx_major) + "." + std::to_string(row.ptx_minor)) : Json(nullptr)},
         {"count", row.count}});
  }
  return {{"state", file.gpu_code->rows.empty() ? "none" : "present"},
          {"reason", nullptr},
          {"architectures", architectures},
          {"containers", file.gpu_code->containers},
          {"damaged", file.gpu_code->damaged},
          {"old_style", file.gpu_code->old_style},
          {"truncated", file.gpu_code->truncated}};
}

}  // namespace

std::string architecture_name(const GpuCodeSummary::Row& row) {
  const char* prefix = row.kind == Row::Kind::machine_code ? "sm_"
                       : row.kind == Row::Kind::ptx        ? "compute_"
                       : row.kind == Row::Kind::lto        ? "lto_"
                                                           : "other_";
  auto name = prefix + std::to_string(row.arch);
  if (row.variant != 0) name += row.variant;
  return name;
}

std::string render_inspect_json(const Inspection& inspection, const std::string& version,
                                const std::string& knowledge_date) {
  Json files = Json::array();
  for (const auto& file : inspection.files) {
    Json needs = Json::array();
    for (const auto& need : file.needs) needs.push_back(need_of(need));
    const Json driver = {{"lowest", text_or_null(file.driver.lowest)},
                         {"because", text_or_null(file.driver.because)},
                         {"for_ptx", text_or_null(file.driver.for_ptx)},
                         {"ptx_isa", text_or_null(file.driver.ptx_isa)}};
    files.push_back({{"path", text(file.path)},
                     {"kind", file.kind},
                     {"detail", text_or_null(file.detail)},
                     {"machine", text_or_null(file.machine)},
                     {"bits", file.bits == 0 ? Json(nullptr) : Json(file.bits)},
                     {"soname", text_or_null(file.soname)},
                     {"rpath", text_or_null(file.rpath)},
                     {"runpath", text_or_null(file.runpath)},
                     {"opened_by", text_or_null(file.opened_by)},
                     {"loads", std::string(to_word(file.loads))},
                     {"loads_detail", text_or_null(file.loads_detail)},
                     {"needs", needs},
                     {"gpu_code", code_of(file)},
                     {"driver", driver}});
  }
  Json problems = Json::array();
  for (const auto& problem : inspection.problems) problems.push_back(text(problem));
  const Json document = {{"schema", "gpuway.inspect/1"},
                         {"gpuway", version},
                         {"knowledge", knowledge_date},
                         {"files", files},
                         {"problems", problems}};
  return to_document(document);
}

}  // namespace gpuway
