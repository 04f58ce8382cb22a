#include <algorithm>

#include "base/path.h"
#include "think/loader/glibc/glibc_loader.h"

namespace gpuway {
namespace {

// What an object needs stands behind it, as far as loops allow: a walk in depth from the last of `maps` to the first,
// each object in front of what the walk reached from it; the first of `maps` stays first (glibc elf/dl-sort-maps.c
// since 2.35; releases before it sort loops in another way).
std::vector<int> sorted_by_needs(const std::vector<int>& maps, const std::vector<std::vector<int>>& needs) {
  std::vector<bool> wanted(needs.size(), false), visited(needs.size(), false);
  for (const int map : maps) wanted[static_cast<std::size_t>(map)] = true;
  std::vector<int> backwards;
  struct Step {
    int object;
    std::size_t next;
  };
  for (auto from = maps.rbegin(); from != maps.rend(); ++from) {
    if (visited[static_cast<std::size_t>(*from)]) continue;
    visited[static_cast<std::size_t>(*from)] = true;
    std::vector<Step> walk{{*from, 0}};
    while (!walk.empty()) {
      auto& [object, next] = walk.back();
      const auto& below = needs[static_cast<std::size_t>(object)];
      if (next == below.size()) {
        backwards.push_back(object);
        walk.pop_back();
        continue;
      }
      const auto need = static_cast<std::size_t>(below[next++]);
      if (!wanted[need] || visited[need]) continue;
      visited[need] = true;
      walk.push_back({static_cast<int>(need), 0});
    }
  }
  std::vector<int> order(backwards.rbegin(), backwards.rend());
  const auto first = std::find(order.begin(), order.end(), maps.front());
  std::rotate(order.begin(), first, first + 1);
  return order;
}

}  // namespace

LoadOutcome GlibcLoader::check_versions(int first_new) {
  for (std::size_t i = static_cast<std::size_t>(first_new); i < objects_.size(); ++i) {
    const auto* view = inner_[i].binary;
    if (view == nullptr || !view->elf) continue;
    for (const auto& need : view->elf->version_needs) {
      if (need.weak) continue;
      const auto provider = std::find_if(inner_.begin(), inner_.end(), [&](const Inner& inner) {
        const bool named = std::find(inner.names.begin(), inner.names.end(), need.file) != inner.names.end();
        return named || (inner.binary != nullptr && inner.binary->elf && inner.binary->elf->soname == need.file);
      });
      if (provider == inner_.end() || provider->binary == nullptr || !provider->binary->elf) continue;
      const auto& offered = *provider->binary->elf;
      // A library without any version definition only draws a warning (glibc elf/dl-version.c, match_symbol).
      if (!offered.has_versions) continue;
      if (std::find(offered.version_definitions.begin(), offered.version_definitions.end(), need.version) !=
          offered.version_definitions.end()) {
        continue;
      }
      LoadFailure failure;
      failure.kind = LoadFailure::Kind::version_missing;
      failure.library = objects_[i].name;
      failure.path = objects_[i].path;
      failure.asked_by = objects_[static_cast<std::size_t>(std::max(objects_[i].loader, 0))].path;
      failure.needed = static_cast<int>(i) != first_new;
      failure.symbol = need.version;
      failure.version = need.version;
      failure.version_file = objects_[static_cast<std::size_t>(provider - inner_.begin())].path;
      failure.chain = chain_to(static_cast<int>(i), failure.library);
      return failed(std::move(failure), false);
    }
  }
  LoadOutcome fine;
  fine.state = LoadOutcome::State::loaded;
  return fine;
}

std::vector<int> GlibcLoader::search_list(int root) const {
  std::vector<int> list{root};
  std::vector<bool> seen(objects_.size(), false);
  seen[static_cast<std::size_t>(root)] = true;
  for (std::size_t at = 0; at < list.size(); ++at) {
    for (const int next : inner_[static_cast<std::size_t>(list[at])].needed) {
      if (seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      list.push_back(next);
    }
  }
  return list;
}

std::vector<int> GlibcLoader::relocation_order(int root, int first_new) const {
  std::vector<std::vector<int>> needs;
  for (const auto& inner : inner_) needs.push_back(inner.needed);
  // What is opened has no list of needs yet when the loader sorts (glibc elf/dl-deps.c).
  needs[static_cast<std::size_t>(root)].clear();
  auto order = sorted_by_needs(search_list(root), needs);
  std::erase_if(order, [&](int object) { return object < first_new; });
  std::reverse(order.begin(), order.end());
  return order;
}

LoadOutcome GlibcLoader::check_symbols(int root, int first_new) {
  LoadOutcome fine;
  fine.state = LoadOutcome::State::loaded;
  std::vector<std::string> scope;
  for (const int object : global_scope_) scope.push_back(objects_[static_cast<std::size_t>(object)].path);
  for (const int object : search_list(root)) {
    const auto& path = objects_[static_cast<std::size_t>(object)].path;
    if (std::find(scope.begin(), scope.end(), path) == scope.end()) scope.push_back(path);
  }
  std::optional<std::string> pending;
  for (const int index : relocation_order(root, first_new)) {
    const auto i = static_cast<std::size_t>(index);
    const auto& object = objects_[i];
    // The system's own libraries fit each other: they come from one package set.
    const bool from_system = object.rule == "system" ||
                             (object.rule == "cache" && std::any_of(system_folders_.begin(), system_folders_.end(),
                                                                    [&](const std::string& folder) {
                                                                      return parent_path(object.path) == folder;
                                                                    }));
    const auto name = file_name(object.path);
    if (from_system && !name.starts_with("libcu") && !name.starts_with("libnv")) continue;
    const auto key = SymbolCheck::symbol_check_key(object.path, scope);
    const auto found = snapshot_.symbol_checks.find(key);
    if (found == snapshot_.symbol_checks.end()) {
      SymbolCheck question;
      question.object = object.path;
      question.scope = scope;
      wants_.symbol_checks.emplace(key, std::move(question));
      if (!pending) pending = object.path;
      continue;
    }
    if (pending || found->second.missing.empty()) continue;
    const auto& missing = found->second.missing.front();
    LoadFailure failure;
    failure.kind = LoadFailure::Kind::symbol_missing;
    failure.library = object.name.find('/') == std::string::npos ? object.name : std::string(name);
    failure.path = object.path;
    failure.asked_by = objects_[static_cast<std::size_t>(std::max(object.loader, 0))].path;
    failure.needed = static_cast<int>(i) != root;
    failure.symbol = missing.symbol;
    failure.version = missing.version;
    if (const int provider = missing.file.empty() ? -1 : find_loaded(missing.file); provider >= 0) {
      failure.version_file = objects_[static_cast<std::size_t>(provider)].path;
    }
    failure.chain = chain_to(static_cast<int>(i), failure.library);
    return failed(std::move(failure), false);
  }
  if (pending) {
    fine.state = LoadOutcome::State::undetermined;
    fine.reason = "symbols of " + *pending + " are not looked up yet";
  }
  return fine;
}

}  // namespace gpuway
