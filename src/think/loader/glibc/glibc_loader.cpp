#include "think/loader/glibc/glibc_loader.h"

#include <algorithm>
#include <charconv>
#include <deque>

#include "base/path.h"
#include "base/text.h"
#include "think/loader/glibc/trace.h"

namespace gpuway {
namespace {

constexpr std::uint16_t kX86_64 = 62;
constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMaxObjects = 4096;
constexpr std::uint64_t kNoOpen = 0x40;              // DF_1_NOOPEN: not by dlopen
constexpr std::uint64_t kProgramFlag = 0x08000000;   // DF_1_PIE: a program, which nobody may open as a library

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

// Releases of glibc 2 that brought glibc-hwcaps, and that dropped the older scheme.
constexpr int kFirstWithHwcaps = 33, kFirstWithoutLegacy = 37;

// "glibc 2.36" gives 36; nothing when the release is not known.
std::optional<int> glibc_minor(const Snapshot& snapshot) {
  constexpr std::string_view kPrefix = "glibc 2.";
  const auto text = snapshot.system.libc.value_or("");
  if (!text.starts_with(kPrefix)) return std::nullopt;
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data() + kPrefix.size(), text.data() + text.size(), minor);
  return error == std::errc() ? std::optional(minor) : std::nullopt;
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
  const auto minor = glibc_minor(snapshot);
  const auto flags = snapshot.system.cpu_flags.value_or({});
  platform_ = "x86_64";
  if (!minor || *minor >= kFirstWithHwcaps) hwcaps_ = hwcaps_of(flags);
  for (const auto& level : hwcaps_) subfolders_.push_back("glibc-hwcaps/" + level);
  if (minor && *minor < kFirstWithoutLegacy) {
    auto legacy = legacy_platform(flags, snapshot.system.cpu_name.value_or(""));
    platform_ = std::move(legacy.platform);
    legacy_ = std::move(legacy.subfolders);
    subfolders_.insert(subfolders_.end(), legacy_.begin(), legacy_.end());
  }
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

void GlibcLoader::push_needs(int object, std::deque<Request>& queue) const {
  const auto* view = inner_[static_cast<std::size_t>(object)].binary;
  if (view == nullptr || !view->elf) return;
  for (const auto& name : view->elf->needed) queue.push_back({name, object, true});
}

std::optional<LoadOutcome> GlibcLoader::refused(int object, const Request& request) const {
  const auto& view = *inner_[static_cast<std::size_t>(object)].binary;
  const bool dies = cut_off(view);
  const bool is_program = (view.elf->flags_1 & kProgramFlag) != 0;
  const bool not_by_dlopen = usable_ && (view.elf->flags_1 & kNoOpen) != 0;
  if (!dies && !is_program && !not_by_dlopen) return std::nullopt;
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::malformed;
  failure.path = objects_[static_cast<std::size_t>(object)].path;
  failure.library = request.name;
  failure.asked_by = objects_[static_cast<std::size_t>(std::max(request.loader, 0))].path;
  failure.needed = request.needed;
  failure.chain = chain_to(request.loader, request.name);
  return failed(std::move(failure), dies);
}

LoadOutcome GlibcLoader::map_all(std::deque<Request> queue, std::vector<int>& roots) {
  std::optional<std::string> pending;
  while (!queue.empty()) {
    const auto request = std::move(queue.front());
    queue.pop_front();
    const auto place = find(request.name, request.loader, nullptr);
    if (place.result == Search::pending) {
      if (!pending) pending = request.name;
      continue;
    }
    if (place.result == Search::found) {
      int index = place.object;
      if (index < 0) {
        if (objects_.size() >= kMaxObjects) {
          pending = "more than " + std::to_string(kMaxObjects) + " objects";
          break;
        }
        const auto before = objects_.size();
        index = add_object(request.name, place, request.loader);
        if (objects_.size() > before) {
          inner_.back().rpath_parent = request.needed ? request.loader : -1;
          if (auto refusal = refused(index, request)) {
            if (pending) break;
            return std::move(*refusal);
          }
          push_needs(index, queue);
        }
      } else {
        auto& known = inner_[static_cast<std::size_t>(index)].names;
        if (std::find(known.begin(), known.end(), request.name) == known.end()) known.push_back(request.name);
      }
      if (request.needed) {
        inner_[static_cast<std::size_t>(request.loader)].needed.push_back(index);
      } else {
        roots.push_back(index);
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
  outcome.object = roots.empty() ? kProgram : roots.front();
  return outcome;
}

LoadOutcome GlibcLoader::start() {
  LoadOutcome outcome;
  const auto* program = binary(setup_.executable);
  if (program == nullptr) {
    outcome.reason = setup_.executable + " is not read yet";
    return outcome;
  }
  if (program->outcome != BinaryView::Outcome::elf) {
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
  inner_.push_back({program, {setup_.executable}, {}, -1, {}, {}});
  if (program->elf->interpreter) {
    // The loader itself is in the process before anything is searched.
    if (const auto* view = binary(*program->elf->interpreter); view != nullptr && view->outcome == BinaryView::Outcome::elf) {
      object.name = *program->elf->interpreter;
      object.path = *program->elf->interpreter;
      object.file_id = view->file_id;
      object.loader = kProgram;
      objects_.push_back(object);
      inner_.push_back({view, {object.name}, {}, -1, {}, {}});
    }
  }
  std::vector<int> preloaded;
  for (std::string_view rest = setup_.preload; !rest.empty();) {
    const auto end = rest.find_first_of(": ");
    const auto name = std::string(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (name.empty()) continue;
    const auto place = find(name, kProgram, nullptr);
    if (place.result == Search::pending) {
      outcome.reason = name + " is not looked up yet";
      continue;
    }
    // A preload that cannot be loaded draws a message and is left out; one that is cut off kills the process.
    if (place.result != Search::found) continue;
    const auto before = objects_.size();
    const int index = place.object >= 0 ? place.object : add_object(name, place, kProgram);
    if (objects_.size() > before) {
      inner_.back().rpath_parent = kProgram;
      if (auto refusal = refused(index, {name, kProgram, false})) {
        if (refusal->state == LoadOutcome::State::process_dies) return std::move(*refusal);
        drop_from(static_cast<int>(before));
        continue;
      }
      objects_.back().rule = "preload";
    }
    if (std::find(preloaded.begin(), preloaded.end(), index) == preloaded.end()) preloaded.push_back(index);
  }
  // Needs are mapped breadth first, the program's own first, then those of each preloaded object.
  std::deque<Request> queue;
  push_needs(kProgram, queue);
  for (const int index : preloaded) push_needs(index, queue);
  std::vector<int> none;
  auto mapped = map_all(std::move(queue), none);
  if (mapped.state != LoadOutcome::State::loaded) return mapped;
  if (!outcome.reason.empty()) return outcome;
  global_scope_ = {kProgram};
  global_scope_.insert(global_scope_.end(), preloaded.begin(), preloaded.end());
  for (std::size_t at = 0; at < global_scope_.size(); ++at) {
    for (const int index : inner_[static_cast<std::size_t>(global_scope_[at])].needed) {
      if (std::find(global_scope_.begin(), global_scope_.end(), index) == global_scope_.end()) global_scope_.push_back(index);
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
  outcome = map_all({{request.name, request.caller, false}}, roots);
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
