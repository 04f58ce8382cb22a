// Answers questions about PEP 440 and PEP 508, one JSON array a line, so that judge_pep.py can set the answers beside
// those of the `packaging` library.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "think/formats/pep440_specifiers.h"
#include "think/formats/pep508_requirement.h"
#include "think/formats/python_files.h"
#include "think/formats/wheel_tags.h"

namespace {

using Json = nlohmann::json;
using namespace gpuway;

Json normal_form(const Json& question) {
  const auto version = parse_pep440(question[1].get<std::string>());
  return version ? Json(version->text()) : Json();
}

Json compared(const Json& question) {
  const auto a = parse_pep440(question[1].get<std::string>()), b = parse_pep440(question[2].get<std::string>());
  if (!a || !b) return {};
  const auto order = compare(*a, *b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

Json admitted(const Json& question) {
  const auto specifiers = parse_specifiers(question[1].get<std::string>());
  if (!specifiers) return {};
  return admits(*specifiers, question[2].get<std::string>(),
                question[3].get<bool>() ? Prereleases::allowed : Prereleases::excluded);
}

Json marker_holds(const Json& question) {
  const auto marker = parse_marker(question[1].get<std::string>());
  if (!marker) return "invalid";
  MarkerEnvironment environment;
  for (const auto& [name, value] : question[2].items()) environment.values[name] = value.get<std::string>();
  for (const auto& extra : question[3]) environment.extras.insert(extra.get<std::string>());
  const auto holds = evaluate(*marker, environment);
  return holds ? Json(*holds) : Json("undefined");
}

Json requirement_parts(const Json& question) {
  auto requirement = parse_requirement(question[1].get<std::string>());
  if (!requirement) return {};
  std::sort(requirement->extras.begin(), requirement->extras.end());
  requirement->extras.erase(std::unique(requirement->extras.begin(), requirement->extras.end()),
                            requirement->extras.end());
  std::vector<std::string> specifiers;
  for (const auto& specifier : requirement->specifiers.all) specifiers.push_back(specifier.text());
  std::sort(specifiers.begin(), specifiers.end());
  specifiers.erase(std::unique(specifiers.begin(), specifiers.end()), specifiers.end());
  return {{"name", requirement->name},
          {"extras", requirement->extras},
          {"specifiers", specifiers},
          {"url", requirement->url},
          {"marker", !requirement->marker.steps.empty()}};
}

Json tag_fits(const Json& question) {
  TagTarget target;
  const auto& given = question[2];
  target.minor = given["minor"];
  target.free_threaded = given["free_threaded"];
  target.machine = given["machine"];
  target.musl = given["musl"];
  target.libc_major = given["libc"][0];
  target.libc_minor = given["libc"][1];
  return judge_wheel_tags(expand_wheel_tags(question[1].get<std::string>()), target) == TagFit::fits;
}

Json wheel_parts(const Json& question) {
  const auto wheel = parse_wheel_name(question[1].get<std::string>());
  if (!wheel) return {};
  std::vector<std::string> tags;
  for (const auto& tag : wheel->tags) tags.push_back(tag.python + "-" + tag.abi + "-" + tag.platform);
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return {{"name", wheel->name}, {"version", wheel->version}, {"build", wheel->build}, {"tags", tags}};
}

Json answer(const Json& question) {
  const auto kind = question[0].get<std::string>();
  if (kind == "version") return normal_form(question);
  if (kind == "compare") return compared(question);
  if (kind == "admits") return admitted(question);
  if (kind == "marker") return marker_holds(question);
  if (kind == "requirement") return requirement_parts(question);
  if (kind == "normalize") return normalized_name(question[1].get<std::string>());
  if (kind == "tag") return tag_fits(question);
  if (kind == "wheel") return wheel_parts(question);
  return "unknown question";
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) std::cout << answer(Json::parse(line)).dump() << "\n";
  return 0;
}
