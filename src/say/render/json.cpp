#include "say/render/json.h"

#include <nlohmann/json.hpp>

#include "base/path.h"
#include "base/text.h"
#include "say/render/document.h"

namespace gpuway {
namespace {

using Json = nlohmann::ordered_json;

Json text(const std::string& bytes) { return to_json_text(bytes); }
Json text_or_null(const std::string& bytes) { return bytes.empty() ? Json(nullptr) : Json(to_json_text(bytes)); }

Json machine_of(const MachineSummary& machine);

Json wsl_of(const MachineWsl& wsl) {
  Json distributions = Json::array();
  for (const auto& row : wsl.distributions) {
    distributions.push_back({{"name", text(row.name)},
                             {"version", row.version == 0 ? Json(nullptr) : Json(row.version)},
                             {"state", text(row.state)},
                             {"default", row.is_default},
                             {"not_looked", text_or_null(row.not_looked)},
                             {"machine", row.inside.empty() ? Json(nullptr) : machine_of(row.inside.front())}});
  }
  return {{"state", wsl.state}, {"version", text_or_null(wsl.version)}, {"distributions", distributions}};
}

Json machine_of(const MachineSummary& machine) {
  Json gpus = Json::array();
  for (const auto& gpu : machine.gpus) {
    gpus.push_back({{"name", text(gpu.name)},
                    {"vendor", gpu.vendor},
                    {"compute_capability", text_or_null(gpu.compute_capability)},
                    {"memory_bytes", gpu.memory_bytes},
                    {"visible", gpu.visible}});
  }
  Json out = {{"system", machine.system},
          {"name", text(machine.name)},
          {"kind", machine.kind},
          {"gpus", gpus},
          {"driver",
           {{"state", machine.driver_state},
            {"version", text_or_null(machine.driver_version)},
            {"cuda", text_or_null(machine.cuda_level)},
            {"cuinit", machine.init_code ? Json(*machine.init_code) : Json(nullptr)}}}};
  out["wsl"] = machine.wsl ? wsl_of(*machine.wsl) : Json(nullptr);
  return out;
}

Json chain_of(const Chain& chain) {
  Json missing = Json::array();
  for (const auto& row : chain.missing) {
    missing.push_back({{"library", text(row.library)}, {"asked_by", text(row.asked_by)}, {"how", row.how}, {"effect", row.effect}});
  }
  Json links = Json::array();
  for (const auto& link : chain.links) {
    Json reasons = Json::array();
    for (const auto& reason : link.reasons) reasons.push_back(text(reason));
    links.push_back({{"id", link.id}, {"state", std::string(to_word(link.state))}, {"findings", link.findings}, {"reasons", reasons}});
  }
  return {{"environment", chain.environment},
          {"distribution", text_or_null(chain.distribution)},
          {"framework", chain.framework},
          {"package", text(chain.package)},
          {"version", text(chain.version)},
          {"flavour", chain.flavour},
          {"imports", std::string(to_word(chain.imports))},
          {"sees_gpu", std::string(to_word(chain.sees_gpu))},
          {"can_compute", std::string(to_word(chain.can_compute))},
          {"device_count", chain.device_count ? Json(*chain.device_count) : Json(nullptr)},
          {"cause", chain.cause ? Json(*chain.cause) : Json(nullptr)},
          {"breaks_next", chain.breaks_next},
          {"missing", missing},
          {"links", links},
          {"findings", chain.findings}};
}

Json finding_of(const Finding& finding) {
  Json args = Json::object();
  for (const auto& [name, value] : finding.args) {
    if (const auto* plain = std::get_if<std::string>(&value)) args[name] = text(*plain);
    if (const auto* number = std::get_if<std::int64_t>(&value)) args[name] = *number;
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
      args[name] = Json::array();
      for (const auto& item : *list) args[name].push_back(text(item));
    }
  }
  Json evidence = Json::array();
  for (const auto& row : finding.evidence) evidence.push_back({{"source", row.source}, {"where", text(row.where)}, {"what", text(row.what)}});
  Json searched = Json::array();
  for (const auto& place : finding.searched) searched.push_back({{"rule", place.rule}, {"path", text(place.path)}, {"outcome", place.outcome}});
  Json commands = Json::array();
  for (const auto& command : finding.next_step.commands) commands.push_back(text(command));
  return {{"key", finding.key},
          {"id", finding.id},
          {"severity", std::string(to_word(finding.severity))},
          {"certainty", std::string(to_word(finding.certainty))},
          {"chain", finding.chain >= 0 ? Json(finding.chain) : Json(nullptr)},
          {"distribution", text_or_null(finding.distribution)},
          {"args", args},
          {"evidence", evidence},
          {"searched", searched},
          {"next_step", {{"id", finding.next_step.id}, {"commands", commands}}}};
}

void add_environments(const Snapshot& snapshot, const std::string& distribution, Json& out) {
  for (const auto& environment : snapshot.environments) {
    out.push_back({{"id", environment_id(distribution, environment.id)},
                   {"distribution", text_or_null(distribution)},
                   {"path", text(shown_path(environment.path))},
                   {"kind", environment.kind},
                   {"python", text_or_null(environment.version.value_or(""))},
                   {"externally_managed", environment.externally_managed},
                   {"active", environment.active}});
  }
}

}  // namespace

std::string render_check_json(const Answer& answer, const Snapshot& snapshot, const std::string& version,
                              const std::string& knowledge_date) {
  Json environments = Json::array();
  add_environments(snapshot, "", environments);
  if (snapshot.wsl) {
    for (const auto& distribution : snapshot.wsl->distributions) {
      for (const auto& inside : distribution.inside) add_environments(inside, distribution.name, environments);
    }
  }
  Json chains = Json::array(), findings = Json::array(), probes = Json::array();
  for (const auto& chain : answer.chains) chains.push_back(chain_of(chain));
  for (const auto& finding : answer.findings) findings.push_back(finding_of(finding));
  for (const auto& probe : snapshot.probes) probes.push_back({{"id", probe.id}, {"outcome", probe.outcome}, {"ms", probe.ms}});
  const Json document = {{"schema", "gpuway.check/1"},  {"gpuway", version},     {"knowledge", knowledge_date},
                         {"machine", machine_of(answer.machine)}, {"environments", environments}, {"chains", chains},
                         {"findings", findings},        {"probes", probes}};
  return to_document(document);
}

}  // namespace gpuway
