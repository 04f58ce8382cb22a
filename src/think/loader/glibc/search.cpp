#include <algorithm>
#include <set>

#include "base/path.h"
#include "base/text.h"
#include "think/loader/glibc/trace.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kNoDefaultLib = 0x800;   // DF_1_NODEFLIB
constexpr std::uint16_t kExecutable = 2, kShared = 3;   // ET_EXEC, ET_DYN
constexpr std::uint8_t kSystemV = 0, kGnu = 3;   // ELFOSABI_*

using Outcome = BinaryView::Outcome;

// Which of two unfit candidates is told of: glibc remembers that there was one of another word size, and nothing else.
bool is_worse(LoadFailure::Kind one, LoadFailure::Kind other) {
  if (one == LoadFailure::Kind::not_found) return false;
  return one == LoadFailure::Kind::wrong_class || other != LoadFailure::Kind::wrong_class;
}

}  // namespace

const BinaryView* GlibcLoader::binary(const std::string& path) {
  const auto found = snapshot_.binaries.find(path);
  if (found != snapshot_.binaries.end()) return &found->second;
  wants_.binaries.emplace(path, true);
  return nullptr;
}

const FolderView* GlibcLoader::folder(const std::string& path) {
  const auto found = snapshot_.folders.find(path);
  if (found != snapshot_.folders.end()) return &found->second;
  wants_.folders.emplace(path, true);
  return nullptr;
}

std::string GlibcLoader::expand(std::string_view entry, const std::string& origin) const {
  std::string out;
  for (std::size_t at = 0; at < entry.size();) {
    if (entry[at] != '$') {
      out += entry[at++];
      continue;
    }
    const auto rest = entry.substr(at + 1);
    bool replaced = false;
    const std::pair<std::string_view, std::string_view> tokens[] = {
        {"ORIGIN", origin}, {"LIB", lib_token_}, {"PLATFORM", platform_}};
    for (const auto& [token, value] : tokens) {
      const auto braced = "{" + std::string(token) + "}";
      std::size_t length = 0;
      if (rest.starts_with(braced)) {
        length = braced.size();
      } else if (rest.starts_with(token)) {
        // Without braces the name must end here, else it is another word (glibc is_dst).
        const char next = rest.size() > token.size() ? rest[token.size()] : '\0';
        const bool goes_on = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
                             (next >= '0' && next <= '9') || next == '_';
        if (!goes_on) length = token.size();
      }
      if (length == 0) continue;
      out += value;
      at += 1 + length;
      replaced = true;
      break;
    }
    if (!replaced) out += entry[at++];
  }
  return out;
}

std::vector<std::string> GlibcLoader::expand_all(std::string_view list, std::string_view separators,
                                                 const std::string& origin) const {
  std::vector<std::string> folders;
  std::set<std::string> seen;
  while (true) {
    const auto end = list.find_first_of(separators);
    auto folder = expand(list.substr(0, end), origin);
    if (folder.empty()) folder = setup_.current_folder;
    if (!is_absolute(folder)) folder = join_path(setup_.current_folder, folder);
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    if (seen.insert(folder).second) folders.push_back(std::move(folder));
    if (end == std::string_view::npos) return folders;
    list.remove_prefix(end + 1);
  }
}

const std::vector<std::string>& GlibcLoader::run_path(int object, bool runpath) {
  static const std::vector<std::string> none;
  auto& inner = inner_[static_cast<std::size_t>(object)];
  auto& cached = runpath ? inner.runpath : inner.rpath;
  if (cached) return *cached;
  cached.emplace();
  if (inner.binary == nullptr || !inner.binary->elf) return *cached;
  const auto& elf = *inner.binary->elf;
  // DT_RUNPATH makes the loader forget DT_RPATH of the same object.
  const auto& text = runpath ? elf.runpath : elf.runpath ? std::optional<std::string>() : elf.rpath;
  if (!text || text->empty()) return *cached;
  const auto& path = objects_[static_cast<std::size_t>(object)].path;
  *cached = expand_all(*text, ":", parent_path(path));
  return *cached;
}

GlibcLoader::Place GlibcLoader::try_file(const std::string& path, std::string_view rule, Trace* trace) {
  Place place;
  place.path = path;
  place.rule = rule;
  const auto* view = binary(path);
  const auto note = [&](const char* outcome) {
    if (trace != nullptr) trace->add(rule, path, outcome);
  };
  if (view == nullptr || view->outcome == Outcome::unreadable) {
    note(view == nullptr ? "not-looked" : std::string(to_word(view->reason)).c_str());
    if (view != nullptr && view->reason == ErrorCode::too_large) return place;
    place.result = Search::pending;
    return place;
  }
  const auto stop = [&](LoadFailure::Kind fault, const char* outcome) {
    note(outcome);
    place.result = Search::stopped;
    place.fault = fault;
    return place;
  };
  const auto skip = [&](LoadFailure::Kind fault, const char* outcome) {
    note(outcome);
    place.fault = fault;
    return place;
  };
  switch (view->outcome) {
    case Outcome::missing: return skip(LoadFailure::Kind::not_found, "not-there");
    case Outcome::denied: return skip(LoadFailure::Kind::denied, "denied");
    case Outcome::not_regular: return stop(LoadFailure::Kind::malformed, "not-a-file");
    case Outcome::too_short: return stop(LoadFailure::Kind::too_short, "too-short");
    case Outcome::pe:
    case Outcome::other_format: return stop(LoadFailure::Kind::not_elf, "not-elf");
    case Outcome::link_loop:
      // Any fault of opening but "not there" and "denied" ends the list of folders (glibc elf/dl-load.c, open_path).
      place.ends_list = true;
      return skip(LoadFailure::Kind::not_found, "link-loop");
    case Outcome::malformed:
      if (!view->elf) return stop(LoadFailure::Kind::malformed, "malformed");
      break;
    case Outcome::elf:
    case Outcome::unreadable: break;
  }
  const auto& elf = *view->elf;
  // Another word size or machine is passed over, and the search goes on; in this order (glibc elf/dl-load.c, open_verify).
  if (elf.elf_class != elf_class_) return skip(LoadFailure::Kind::wrong_class, "wrong-class");
  if (!elf.little_endian) return stop(LoadFailure::Kind::malformed, "wrong-byte-order");
  // Version 1 to 3 of the ABI only add kinds of symbols and relocations that glibc has.
  constexpr std::uint8_t kAbiVersions = 4;
  const bool known_abi = elf.os_abi == kSystemV || elf.os_abi == kGnu;
  if (!known_abi || elf.abi_version >= kAbiVersions) return stop(LoadFailure::Kind::malformed, "wrong-abi");
  if (elf.machine != machine_) return skip(LoadFailure::Kind::wrong_machine, "wrong-machine");
  if (elf.type != kShared) return stop(LoadFailure::Kind::malformed, elf.type == kExecutable ? "program" : "not-loadable");
  if (view->outcome == Outcome::malformed) return stop(LoadFailure::Kind::malformed, "malformed");
  note("chosen");
  place.result = Search::found;
  return place;
}

GlibcLoader::Place GlibcLoader::try_folder(const std::string& where, const std::string& name, std::string_view rule,
                                           Trace* trace) {
  const auto* view = folder(where);
  Place nothing;
  if (view == nullptr) {
    if (trace != nullptr) trace->add(rule, where, "not-looked");
    nothing.result = Search::pending;
    return nothing;
  }
  if (view->outcome != FolderView::Outcome::listed && view->outcome != FolderView::Outcome::unreadable) {
    if (trace != nullptr) {
      trace->add(rule, where, view->outcome == FolderView::Outcome::denied ? "denied" : "no-such-folder");
    }
    // A folder that may be passed through but not listed can still hold the file.
    if (view->outcome != FolderView::Outcome::denied) return nothing;
    return try_file(join_path(where, name), rule, trace);
  }
  const bool listed = view->outcome == FolderView::Outcome::listed;
  LoadFailure::Kind fault = LoadFailure::Kind::not_found;
  std::string fault_path;
  for (const auto& level : subfolders_) {
    if (!listed || !view->holds(level.substr(0, level.find('/')))) continue;
    const auto sub = join_path(where, level);
    const auto* inside = folder(sub);
    if (inside == nullptr) {
      nothing.result = Search::pending;
      return nothing;
    }
    if (!inside->holds(name)) continue;
    auto place = try_file(join_path(sub, name), rule, trace);
    if (place.result != Search::not_found) return place;
    if (fault != LoadFailure::Kind::wrong_class) fault = place.fault, fault_path = place.path;
  }
  // Listings keep library-like names only; any other name is asked for directly.
  if (listed && name.find(".so") != std::string::npos && !view->holds(name)) {
    if (trace != nullptr) trace->add(rule, where, "not-there");
    nothing.fault = fault;
    nothing.path = fault_path;
    return nothing;
  }
  auto place = try_file(join_path(where, name), rule, trace);
  if (place.result == Search::not_found && is_worse(fault, place.fault)) {
    place.fault = fault;
    place.path = fault_path;
  }
  return place;
}

GlibcLoader::Place GlibcLoader::try_folders(const std::vector<std::string>& folders, const std::string& name,
                                            std::string_view rule, Trace* trace) {
  Place last;
  bool pending = false;
  for (const auto& where : folders) {
    auto place = try_folder(where, name, rule, trace);
    if (place.result == Search::pending) {
      pending = true;   // go on, so that one round wants all of them
      continue;
    }
    if (place.result != Search::not_found && !pending) return place;
    if (place.result != Search::not_found) break;
    const bool ends = place.ends_list;
    if (is_worse(place.fault, last.fault)) last = std::move(place);
    if (ends) break;
  }
  if (pending) last.result = Search::pending;
  return last;
}

GlibcLoader::Place GlibcLoader::try_cache(const std::string& name, bool no_default, Trace* trace) {
  Place nothing;
  const auto& cache = snapshot_.loader_cache;
  if (!cache.is_known()) {
    if (cache.is_absent()) return nothing;
    if (trace != nullptr) trace->add("cache", "/etc/ld.so.cache", "not-looked");
    nothing.result = Search::pending;
    return nothing;
  }
  const LoaderCacheEntry* best = nullptr;
  std::size_t best_rank = 0;
  for (const auto& entry : cache->entries) {
    if (entry.soname != name) continue;
    std::size_t rank = hwcaps_.size();
    if (!entry.hwcap.empty()) {
      const auto at = std::find(hwcaps_.begin(), hwcaps_.end(), entry.hwcap);
      rank = static_cast<std::size_t>(at - hwcaps_.begin());
      // Of entries for older loaders' processors and for any, the first in the file is taken.
      const bool legacy = std::find(legacy_.begin(), legacy_.end(), entry.hwcap) != legacy_.end();
      if (at == hwcaps_.end() && !legacy) continue;
    }
    if (best == nullptr || rank < best_rank) {
      best = &entry;
      best_rank = rank;
    }
  }
  if (best == nullptr) {
    if (trace != nullptr) trace->add("cache", "/etc/ld.so.cache", "not-there");
    return nothing;
  }
  if (no_default) {
    for (const auto& system : system_folders_) {
      if (!is_below(best->path, system)) continue;
      if (trace != nullptr) trace->add("cache", best->path, "no-default");   // the object that asks wants none of these
      return nothing;
    }
  }
  return try_file(best->path, "cache", trace);
}

GlibcLoader::Place GlibcLoader::find(const std::string& name, int loader, Trace* trace) {
  Place place;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    auto& inner = inner_[i];
    const bool named = std::find(inner.names.begin(), inner.names.end(), name) != inner.names.end();
    const bool by_soname = inner.binary != nullptr && inner.binary->elf && inner.binary->elf->soname == name;
    if (!named && !by_soname) continue;
    place.result = Search::found;
    place.object = static_cast<int>(i);
    place.path = objects_[i].path;
    place.rule = "loaded";
    return place;
  }
  if (name.find('/') != std::string::npos) {
    auto path = expand(name, parent_path(objects_[static_cast<std::size_t>(std::max(loader, 0))].path));
    if (!is_absolute(path)) path = join_path(setup_.current_folder, path);
    place = try_file(path, "path", trace);
    if (place.ends_list) {
      place.result = Search::stopped;
      place.fault = LoadFailure::Kind::malformed;
    }
    return place;
  }
  bool pending = false;
  Place last;
  // Returns true when the search ends here.
  const auto done = [&](Place next) {
    if (next.result == Search::pending) {
      pending = true;
      return false;
    }
    if (next.result == Search::not_found) {
      if (is_worse(next.fault, last.fault)) last = std::move(next);
      return false;
    }
    if (pending) return true;   // something before it is unknown: the round must be repeated
    place = std::move(next);
    return true;
  };
  const auto settle = [&]() {
    if (pending) place.result = Search::pending;
    return place;
  };
  const auto* binary_of_loader = inner_[static_cast<std::size_t>(loader)].binary;
  // A DT_RUNPATH counts even when it is empty.
  const bool has_runpath = binary_of_loader != nullptr && binary_of_loader->elf && binary_of_loader->elf->runpath;
  if (!has_runpath) {
    bool saw_program = false;
    for (int at = loader; at >= 0; at = inner_[static_cast<std::size_t>(at)].rpath_parent) {
      saw_program = saw_program || at == kProgram;
      if (done(try_folders(run_path(at, false), name, "rpath", trace))) return settle();
    }
    if (!saw_program && done(try_folders(run_path(kProgram, false), name, "rpath", trace))) return settle();
  }
  if (done(try_folders(library_path_, name, "ld-library-path", trace))) return settle();
  if (done(try_folders(run_path(loader, true), name, "runpath", trace))) return settle();
  const bool no_default = binary_of_loader != nullptr && binary_of_loader->elf &&
                          (binary_of_loader->elf->flags_1 & kNoDefaultLib) != 0;
  if (done(try_cache(name, no_default, trace))) return settle();
  if (!no_default && done(try_folders(system_folders_, name, "system", trace))) return settle();
  place = last;
  place.result = pending ? Search::pending : Search::not_found;
  return place;
}

}  // namespace gpuway
