// Prints what the probe finds in environments named by path, as a Snapshot, so that judge_environments.py can set it
// beside what the interpreters themselves say. The question comes as JSON on stdin:
// {"prefixes": [...], "modules": [...], "distributions": [...]}.
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "sense/platform/live_host.h"
#include "sense/probes/python_environments.h"
#include "think/model/snapshot_json.h"

int main() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto question = nlohmann::json::parse(text);
  gpuway::PythonSearch search;
  search.search_everywhere = question.value("everywhere", false);
  search.prefixes = question["prefixes"].get<std::vector<std::string>>();
  search.modules = question["modules"].get<std::set<std::string>>();
  search.distributions = question["distributions"].get<std::set<std::string>>();
  const auto host = gpuway::make_live_host();
  gpuway::Snapshot snapshot;
  std::vector<std::string> not_found;
  gpuway::collect_python_environments(*host, search, snapshot, not_found);
  std::cout << gpuway::snapshot_to_json(snapshot) << "\n";
  for (const auto& path : not_found) std::cerr << "not found: " << path << "\n";
  return not_found.empty() ? 0 : 1;
}
