#include "think/rules/python/python_links.h"

#include "think/rules/python/interpreter_link.h"

namespace gpuway {

std::string judge_python_links(ChainBuilder& chain, const FrameworkRule& rule) {
  const auto import = judge_import_link(chain, rule);
  // Without a package of the framework nothing of what it needs is asked for.
  if (!import.folder.empty()) judge_interpreter_link(chain, rule, import);
  return import.folder;
}

Fact<bool> holds_bytes(ChainBuilder& chain, const std::string& path, const std::string& text) {
  const auto key = needle_key(path, text);
  const auto found = chain.snapshot().needles.find(key);
  if (found != chain.snapshot().needles.end()) return found->second;
  chain.wants().needles.emplace(key, Wants::Needle{path, text});
  return {};
}

}  // namespace gpuway
