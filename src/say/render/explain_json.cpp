#include <nlohmann/json.hpp>

#include "base/text.h"
#include "say/render/document.h"
#include "say/render/explain.h"

namespace gpuway {

std::string render_explain_json(const Explanation& explanation, const std::string& version, const std::string& knowledge_date) {
  using Json = nlohmann::ordered_json;
  Json causes = Json::array(), harmless = Json::array(), missing = Json::array(), facts = Json::array(), evidence = Json::array();
  for (const auto& cause : explanation.causes) {
    causes.push_back({{"id", cause.id},
                      {"weight", cause.weight / 100.0},
                      {"lines", cause.lines},
                      {"certainty", to_word(cause.certainty)},
                      {"signatures", cause.signatures}});
  }
  for (const auto& one : explanation.harmless) harmless.push_back({{"lines", one.lines}, {"id", one.id}});
  for (const auto& fact : explanation.missing_facts) missing.push_back({{"id", fact.id}, {"command", fact.command}});
  for (const auto& [id, fact] : explanation.facts) facts.push_back({{"id", id}, {"value", to_json_text(fact.value)}, {"line", fact.line}});
  for (const auto& [line, text] : explanation.texts) evidence.push_back({{"line", line}, {"text", to_json_text(text)}});
  const Json document = {{"schema", "gpuway.explain/1"},
                         {"gpuway", version},
                         {"knowledge", knowledge_date},
                         {"lines", explanation.lines},
                         {"binary", explanation.binary},
                         {"decided", explanation.decided},
                         {"causes", causes},
                         {"harmless", harmless},
                         {"missing_facts", missing},
                         {"facts", facts},
                         {"evidence", evidence}};
  return to_document(document);
}

}  // namespace gpuway
