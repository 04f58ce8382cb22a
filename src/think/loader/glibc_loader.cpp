#include "think/loader/glibc_loader.h"

#include <algorithm>
#include <deque>

#include "base/path.h"
#include "base/text.h"
#include "think/loader/trace.h"

namespace gpuway {
namespace {

constexpr std::uint16_t kX86_64 = 62;
constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMaxObjects = 4096;

std::uint64_t page_up(std::uint64_t value) { return value > ~std::uint64_t{0} - kPage ? value : (value + kPage - 1) / kPage * kPage; }

// A file that ends before its segments do is mapped all the same; touching the pages behind its end kills the process.
// A last page that is only partly there is filled with zeros.
bool cut_off(const BinaryView& view) {
  return view.elf && page_up(view.file_size) < page_up(view.elf->load_end);
}

// Debian and its relatives keep libraries in multi-arch folders, everybody else in lib64. What the machine itself has
// tells: where its cache finds libc, else the name of the distribution.
bool uses_multiarch(const Snapshot& snapshot) {
  if (snapshot.loader_cache.is_known()) {
    for (const auto& entry : snapshot.loader_cache->entries) {
      if (entry.soname == "libc.so.6") return entry.path.find("x86_64-linux-gnu") != std::string::npos;
    }
  }
  static constexpr std::string_view kDebianLike[] = {"debian", "ubuntu", "linuxmint", "pop", "kali", "raspbian", "elementary", "zorin", "neon", "devuan", "mx", "deepin"};
  const auto id = snapshot.system.distribution.value_or("debian");
  return std::find(std::begin(kDebianLike), std::end(kDebianLike), id) != std::end(kDebianLike);
}

LoadFailure failure_at(const BinaryView* view, LoadFailure::Kind kind, const std::string& path) {
  LoadFailure failure;
  failure.kind = kind;
  failure.path = path;
  failure.library = file_name(path);
  (void)view;
  return failure;
}

}  // namespace

GlibcLoader::GlibcLoader(const Snapshot& snapshot, ProcessSetup setup, Wants& wants)
    : snapshot_(snapshot), setup_(std::move(setup)), wants_(wants) {
  const bool multiarch = uses_multiarch(snapshot);
  lib_token_ = multiarch ? "lib/x86_64-linux-gnu" : "lib64";
  if (multiarch) {
    system_folders_ = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"};
  } else {
    system_folders_ = {"/lib64", "/usr/lib64"};
  }
  if (snapshot.system.cpu_flags.is_known()) hwcaps_ = hwcaps_of(*snapshot.system.cpu_flags);
  if (!setup_.library_path.empty()) {
    library_path_ = expand_all(setup_.library_path, ":;", parent_path(setup_.executable));
  }
}

int GlibcLoader::find_loaded(std::string_view name) const {
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const auto& inner = inner_[i];
    const bool by_soname = inner.binary != nullptr && inner.binary->elf && inner.binary->elf->soname == name;
    if (by_soname || objects_[i].path == name || file_name(objects_[i].path) == name ||
        std::find(inner.names.begin(), inner.names.end(), name) != inner.names.end()) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

int GlibcLoader::add_object(const std::string& name, const Place& place, int loader) {
  const auto* view = binary(place.path);
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    if (view->file_id.empty() || objects_[i].file_id != view->file_id) continue;
    inner_[i].names.push_back(name);   // the same file under another name: glibc compares device and inode
    return static_cast<int>(i);
  }
  LoadedObject object;
  object.name = name;
  object.path = place.path;
  object.file_id = view->file_id;
  object.loader = loader;
  object.rule = place.rule;
  objects_.push_back(std::move(object));
  Inner inner;
  inner.binary = view;
  inner.names = {name, place.path};
  inner_.push_back(std::move(inner));
  return static_cast<int>(objects_.size()) - 1;
}

std::vector<std::string> GlibcLoader::chain_to(int object, const std::string& last) const {
  std::vector<std::string> chain{last};
  for (int at = object; at > 0 && chain.size() < 64; at = objects_[static_cast<std::size_t>(at)].loader) {
    chain.insert(chain.begin(), objects_[static_cast<std::size_t>(at)].name);
  }
  return chain;
}

LoadOutcome GlibcLoader::failed(LoadFailure failure, bool dies) const {
  LoadOutcome outcome;
  outcome.state = dies ? LoadOutcome::State::process_dies : LoadOutcome::State::failed;
  outcome.searched = failure.searched;
  outcome.failure = std::move(failure);
  return outcome;
}

void GlibcLoader::drop_from(int first_new) {
  objects_.resize(static_cast<std::size_t>(first_new));
  inner_.resize(static_cast<std::size_t>(first_new));
}

LoadOutcome GlibcLoader::map_group(const std::vector<std::string>& names, int loader, std::vector<int>& roots,
                                   int first_new) {
  struct Request {
    std::string name;
    int loader;
    bool needed;
  };
  std::deque<Request> queue;
  for (const auto& name : names) queue.push_back({name, loader, false});
  std::optional<std::string> pending;
  std::size_t root_count = names.size();
  // The program's own needs are mapped with the program as their loader.
  if (names.empty()) queue.push_back({"", kProgram, true});
  const auto push_needs = [&](int object) {
    auto& inner = inner_[static_cast<std::size_t>(object)];
    if (inner.binary == nullptr || !inner.binary->elf) return;
    for (const auto& name : inner.binary->elf->needed) queue.push_back({name, object, true});
  };
  while (!queue.empty()) {
    const auto request = std::move(queue.front());
    queue.pop_front();
    if (request.name.empty()) {
      push_needs(request.loader);
      continue;
    }
    auto place = find(request.name, request.loader, nullptr);
    int index = -1;
    if (place.result == Search::pending) {
      if (!pending) pending = request.name;
      if (root_count > 0) --root_count;
      continue;
    }
    if (place.result == Search::found) {
      index = place.object >= 0 ? place.object : -1;
      if (index < 0) {
        if (objects_.size() >= kMaxObjects) {
          pending = "more than " + std::to_string(kMaxObjects) + " objects";
          break;
        }
        const auto before = objects_.size();
        index = add_object(request.name, place, request.loader);
        if (objects_.size() > before) {
          const auto* view = inner_.back().binary;
          if (cut_off(*view)) {
            if (pending) break;
            auto failure = failure_at(view, LoadFailure::Kind::malformed, place.path);
            failure.library = request.name;
            failure.asked_by = objects_[static_cast<std::size_t>(std::max(request.loader, 0))].path;
            failure.needed = request.needed;
            failure.chain = chain_to(request.loader, request.name);
            return failed(std::move(failure), true);
          }
          push_needs(index);
        }
      } else if (place.object >= 0) {
        auto& known = inner_[static_cast<std::size_t>(index)].names;
        if (std::find(known.begin(), known.end(), request.name) == known.end()) known.push_back(request.name);
      }
      if (request.needed) inner_[static_cast<std::size_t>(request.loader)].needed.push_back(index);
      if (root_count > 0 && !request.needed) {
        roots.push_back(index);
        --root_count;
      }
      continue;
    }
    if (pending) break;   // an earlier search is not settled, so this one may not even happen
    Trace trace;
    find(request.name, request.loader, &trace);
    LoadFailure failure;
    failure.kind = place.fault;
    failure.library = request.name;
    failure.path = place.fault == LoadFailure::Kind::not_found ? std::string() : place.path;
    failure.asked_by = objects_[static_cast<std::size_t>(std::max(request.loader, 0))].path;
    failure.needed = request.needed;
    failure.chain = chain_to(request.needed ? request.loader : -1, request.name);
    failure.searched = std::move(trace.places);
    return failed(std::move(failure), false);
  }
  LoadOutcome outcome;
  if (pending) {
    outcome.reason = *pending + " is not looked up yet";
    return outcome;
  }
  outcome.state = LoadOutcome::State::loaded;
  outcome.object = roots.empty() ? first_new : roots.front();
  return outcome;
}

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
  // Dependencies are relocated before the objects that need them.
  for (std::size_t i = objects_.size(); i-- > static_cast<std::size_t>(first_new);) {
    const auto& object = objects_[i];
    // The system's own libraries fit each other: they come from one package set.
    const bool from_system = object.rule == "system" || (object.rule == "cache" && std::any_of(system_folders_.begin(), system_folders_.end(), [&](const std::string& folder) { return parent_path(object.path) == folder; }));
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

LoadOutcome GlibcLoader::start() {
  LoadOutcome outcome;
  const auto* program = binary(setup_.executable);
  if (program == nullptr) {
    outcome.reason = setup_.executable + " is not read yet";
    return outcome;
  }
  if (!program->elf) {
    unusable_reason_ = setup_.executable + " is no ELF program that could be read";
    outcome.reason = unusable_reason_;
    return outcome;
  }
  machine_ = program->elf->machine;
  elf_class_ = program->elf->elf_class;
  if (machine_ != kX86_64) {
    unusable_reason_ = "the loader's rules for machine " + std::to_string(machine_) + " are not known";
  } else if (program->elf->interpreter && program->elf->interpreter->find("ld-musl") != std::string::npos) {
    unusable_reason_ = "musl's loader has other rules";
  }
  if (!unusable_reason_.empty()) {
    outcome.reason = unusable_reason_;
    return outcome;
  }
  objects_.clear();
  inner_.clear();
  global_scope_.clear();
  LoadedObject object;
  object.name = setup_.executable;
  object.path = setup_.executable;
  object.file_id = program->file_id;
  object.rule = "program";
  objects_.push_back(object);
  inner_.push_back({program, {setup_.executable}, {}, {}, {}});
  if (program->elf->interpreter) {
    // The loader itself is in the process before anything is searched.
    if (const auto* view = binary(*program->elf->interpreter); view != nullptr && view->elf) {
      object.name = *program->elf->interpreter;
      object.path = *program->elf->interpreter;
      object.file_id = view->file_id;
      object.loader = kProgram;
      objects_.push_back(object);
      inner_.push_back({view, {object.name}, {}, {}, {}});
    }
  }
  std::vector<int> preloaded;
  for (std::string_view rest = setup_.preload; !rest.empty();) {
    const auto end = rest.find_first_of(": ");
    const auto name = std::string(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (name.empty()) continue;
    // A preload that cannot be loaded draws a message and is left out.
    const auto before = static_cast<int>(objects_.size());
    std::vector<int> roots;
    const auto place = find(name, kProgram, nullptr);
    if (place.result == Search::pending) {
      outcome.reason = name + " is not looked up yet";
    } else if (place.result == Search::found) {
      const int index = place.object >= 0 ? place.object : add_object(name, place, kProgram);
      objects_[static_cast<std::size_t>(index)].rule = "preload";
      preloaded.push_back(index);
    }
    (void)before;
  }
  std::vector<int> roots;
  auto mapped = map_group({}, kProgram, roots, 0);
  if (mapped.state != LoadOutcome::State::loaded) return mapped;
  if (!outcome.reason.empty()) return outcome;
  // Needs of preloaded objects come behind the program's own.
  for (const int index : preloaded) {
    std::vector<int> more;
    const auto needed = inner_[static_cast<std::size_t>(index)].binary->elf->needed;
    for (const auto& name : needed) {
      const auto extra = map_group({name}, index, more, static_cast<int>(objects_.size()));
      if (extra.state != LoadOutcome::State::loaded) return extra;
    }
    inner_[static_cast<std::size_t>(index)].needed.insert(inner_[static_cast<std::size_t>(index)].needed.end(), more.begin(), more.end());
  }
  global_scope_ = {kProgram};
  global_scope_.insert(global_scope_.end(), preloaded.begin(), preloaded.end());
  for (const int base : {kProgram}) {
    for (const int index : search_list(base)) {
      if (std::find(global_scope_.begin(), global_scope_.end(), index) == global_scope_.end()) global_scope_.push_back(index);
    }
  }
  for (const int index : preloaded) {
    for (const int more : search_list(index)) {
      if (std::find(global_scope_.begin(), global_scope_.end(), more) == global_scope_.end()) global_scope_.push_back(more);
    }
  }
  for (const int index : global_scope_) objects_[static_cast<std::size_t>(index)].global = true;
  auto versions = check_versions(0);
  if (versions.state != LoadOutcome::State::loaded) return versions;
  usable_ = true;
  mapped.object = kProgram;
  return mapped;
}

LoadOutcome GlibcLoader::open(const LoadRequest& request) {
  LoadOutcome outcome;
  if (!usable_) {
    outcome.reason = unusable_reason_.empty() ? "the program itself is not mapped" : unusable_reason_;
    // Even so, ask for what will be wanted next when the request names a file.
    if (unusable_reason_.empty() && is_absolute(request.name)) binary(request.name);
    return outcome;
  }
  const auto first_new = static_cast<int>(objects_.size());
  std::vector<int> roots;
  outcome = map_group({request.name}, request.caller, roots, first_new);
  if (outcome.state == LoadOutcome::State::loaded) {
    if (roots.empty()) {
      outcome.state = LoadOutcome::State::undetermined;
      outcome.reason = request.name + " could not be placed";
    } else if (static_cast<int>(objects_.size()) > first_new) {
      if (auto versions = check_versions(first_new); versions.state != LoadOutcome::State::loaded) {
        outcome = std::move(versions);
      } else if (request.check_symbols) {
        if (auto symbols = check_symbols(roots.front(), first_new); symbols.state != LoadOutcome::State::loaded) {
          outcome = std::move(symbols);
        }
      }
    }
  }
  if (outcome.state != LoadOutcome::State::loaded) {
    drop_from(first_new);
    return outcome;
  }
  outcome.object = roots.front();
  if (request.global) {
    for (const int index : search_list(roots.front())) {
      if (std::find(global_scope_.begin(), global_scope_.end(), index) != global_scope_.end()) continue;
      global_scope_.push_back(index);
      objects_[static_cast<std::size_t>(index)].global = true;
    }
  }
  return outcome;
}

}  // namespace gpuway
