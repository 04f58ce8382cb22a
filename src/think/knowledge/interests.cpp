#include "think/knowledge/interests.h"

#include "think/knowledge/imports.h"

namespace gpuway {
namespace {
#include "knowledge/knowledge_date.inc"
}  // namespace

std::set<std::string> modules_wanted() {
  std::set<std::string> names;
  for (const auto name : modules_of_interest()) names.emplace(name);
  return names;
}

std::set<std::string> distributions_wanted() {
  std::set<std::string> names;
  for (const auto name : distributions_of_interest()) names.emplace(name);
  return names;
}

std::string knowledge_date() { return std::string(kNewestRow); }

}  // namespace gpuway
