#include "say/render/routes_json.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "say/render/document.h"

namespace gpuway {
namespace {

using Json = nlohmann::ordered_json;

Json text(const std::string& bytes) { return to_json_text(bytes); }
Json text_or_null(const std::string& bytes) { return bytes.empty() ? Json(nullptr) : Json(to_json_text(bytes)); }

Json list_of(const std::vector<std::string>& texts) {
  Json out = Json::array();
  for (const auto& one : texts) out.push_back(text(one));
  return out;
}

Json reasons_of(const std::vector<RouteReason>& reasons) {
  Json out = Json::array();
  for (const auto& reason : reasons) {
    Json because = Json::array();
    for (const auto& [name, value] : reason.args) {
      Json row = {{"fact", name}};
      if (const auto* plain = std::get_if<std::string>(&value)) row["value"] = text(*plain);
      if (const auto* number = std::get_if<std::int64_t>(&value)) row["value"] = *number;
      if (const auto* list = std::get_if<std::vector<std::string>>(&value)) row["value"] = list_of(*list);
      because.push_back(std::move(row));
    }
    out.push_back({{"id", reason.id}, {"because", std::move(because)}});
  }
  return out;
}

Json route_of(const Route& route) {
  Json cost = {{"admin", route.admin}, {"reboot", route.reboot}, {"keeps_code", route.keeps_code}, {"notes", reasons_of(route.notes)}};
  Json stack = {{"framework", route.framework}, {"package", text_or_null(route.package)}, {"version", text_or_null(route.version)},
                {"python", text_or_null(route.python)}, {"gpu", route.gpu}, {"install", list_of(route.install)}, {"pins", list_of(route.extra)},
                {"index", text_or_null(route.index)}, {"cuda", text_or_null(route.cuda)}, {"cudnn", text_or_null(route.cudnn)}};
  return {{"id", route.id},
          {"place", route.place},
          {"stack", std::move(stack)},
          {"verdict", std::string(to_word(route.verdict))},
          {"conditions", reasons_of(route.conditions)},
          {"reasons", reasons_of(route.reasons)},
          {"cost", std::move(cost)},
          {"rank", route.rank}};
}

}  // namespace

std::string render_routes_json(const std::vector<Route>& routes, const RouteMachine& machine, const RouteWishes& wishes,
                               const std::string& version, const std::string& knowledge_date) {
  Json gpus = Json::array();
  for (const auto& gpu : machine.gpus) {
    gpus.push_back({{"name", text(gpu.name)}, {"vendor", gpu.vendor},
                    {"compute_capability", gpu.major > 0 ? Json(std::to_string(gpu.major) + "." + std::to_string(gpu.minor)) : Json(nullptr)}});
  }
  Json list = Json::array();
  for (const auto& route : routes) list.push_back(route_of(route));
  const Json document = {{"schema", "gpuway.routes/1"},
                         {"gpuway", version},
                         {"knowledge", knowledge_date},
                         {"machine",
                          {{"system", machine.system}, {"name", text(machine.system_name)}, {"gpus", gpus}, {"driver", text_or_null(machine.driver)},
                           {"pythons", list_of(machine.pythons)}, {"wsl", machine.system == "windows" ? Json(machine.wsl) : Json(nullptr)}}},
                         {"framework", wishes.framework},
                         {"routes", list}};
  return to_document(document);
}

}  // namespace gpuway
