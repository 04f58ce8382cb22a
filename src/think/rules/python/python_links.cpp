#include "think/rules/python/python_links.h"

#include "base/path.h"
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

bool is_file_of_package(ChainBuilder& chain, const std::string& name) {
  const auto* package = chain.package(chain.chain.package);
  if (package == nullptr || !package->location.ends_with(".dist-info")) return false;
  return holds_bytes(chain, join_path(package->location, "RECORD"), "/" + name + ",").value_or(false);
}

}  // namespace gpuway
