#include "think/rules/python_links.h"

#include "base/path.h"

namespace gpuway {

std::string judge_python_links(ChainBuilder& chain, const FrameworkRule& rule) {
  const auto* winner = chain.import_of(rule.module);
  if (winner == nullptr || winner->kind != ImportCandidate::Kind::package) return {};
  return parent_path(winner->path);
}

Fact<bool> holds_bytes(ChainBuilder& chain, const std::string& path, const std::string& text) {
  const auto key = needle_key(path, text);
  const auto found = chain.snapshot().needles.find(key);
  if (found != chain.snapshot().needles.end()) return found->second;
  chain.wants().needles.emplace(key, Wants::Needle{path, text});
  return {};
}

}  // namespace gpuway
