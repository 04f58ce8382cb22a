#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "think/loader/windows/windows_loader.h"

namespace gpuway {
namespace {

constexpr std::uint32_t kAnySearch = kSearchDllLoadDir | kSearchApplication | kSearchUserDirs | kSearchSystem32 | kSearchDefaultDirs;

}  // namespace

bool is_api_set(std::string_view name) {
  const auto lower = to_lower(name);
  return lower.starts_with("api-ms-win-") || lower.starts_with("ext-ms-");
}

// [win32] Dlls/dynamic-link-library-search-order.md
std::vector<WindowsLoader::Place> WindowsLoader::places_of(const std::string& name, std::uint32_t flags) const {
  std::vector<Place> places;
  const auto own = is_absolute(name) ? parent_path(name) : std::string();
  const auto application = parent_path(process_.executable);
  if ((flags & kAnySearch) == 0 && (flags & kAlteredSearchPath) == 0) flags |= process_.default_flags;
  if ((flags & kAnySearch) != 0) {
    if ((flags & kSearchDllLoadDir) != 0 && !own.empty()) places.push_back({"dll-folder", own});
    if ((flags & (kSearchApplication | kSearchDefaultDirs)) != 0) places.push_back({"application-folder", application});
    if ((flags & (kSearchUserDirs | kSearchDefaultDirs)) != 0) {
      // Their order is not specified; Wine takes the newest first.
      for (auto at = process_.dll_directories.rbegin(); at != process_.dll_directories.rend(); ++at) places.push_back({"dll-directory", *at});
      if (process_.dll_directory && !process_.dll_directory->empty()) places.push_back({"dll-directory", *process_.dll_directory});
    }
    if ((flags & (kSearchSystem32 | kSearchDefaultDirs)) != 0) places.push_back({"system-folder", system_folder_});
    return places;
  }
  const bool altered = (flags & kAlteredSearchPath) != 0 && !own.empty();
  places.push_back(altered ? Place{"dll-folder", own} : Place{"application-folder", application});
  if (process_.packaged) {
    // Packages name further ones that they depend on; those are not known here.
    places.push_back({"system-folder", system_folder_});
    return places;
  }
  const bool replaced = process_.dll_directory && (!process_.dll_directory->empty() || variant_.empty_dll_directory);
  const bool safe = !snapshot_.windows || snapshot_.windows->safe_dll_search.value_or(true);
  if (process_.dll_directory && !process_.dll_directory->empty()) places.push_back({"dll-directory", *process_.dll_directory});
  const Place here{"current-folder", process_.current_folder};
  if (!replaced && !safe) places.push_back(here);
  places.push_back({"system-folder", system_folder_});
  places.push_back({"windows-folder", join_path(windows_folder_, "System")});
  places.push_back({"windows-folder", windows_folder_});
  if (!replaced && safe) places.push_back(here);
  for (const auto& folder : path_) places.push_back({"path-variable", folder});
  return places;
}

const FolderView* WindowsLoader::folder(const std::string& path) {
  const auto found = snapshot_.folders.find(path);
  if (found != snapshot_.folders.end()) return &found->second;
  wants_.folders.emplace(path, true);
  return nullptr;
}

const BinaryView* WindowsLoader::binary(const std::string& path) {
  const auto found = snapshot_.binaries.find(path);
  if (found != snapshot_.binaries.end()) return &found->second;
  wants_.binaries.emplace(path, true);
  return nullptr;
}

std::optional<std::string> WindowsLoader::held(const std::string& path, std::string_view name) {
  const auto* view = folder(path);
  if (view == nullptr) return std::nullopt;
  auto& names = names_[path];
  if (names.empty()) {
    for (const auto& one : view->names) names.emplace(to_lower(one), one);
  }
  const auto found = names.find(to_lower(name));
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

// One file that bears the name: whether it can be taken. `skip`: it cannot, and the search goes on.
WindowsLoader::Step WindowsLoader::try_file(const Request& request, const std::string& path, const std::string& rule,
                                            std::vector<SearchedPlace>& searched, bool& skip, DllOutcome& out) {
  const auto* view = binary(path);
  const auto note = [&](const char* outcome) { searched.push_back({rule, path, outcome}); };
  if (view == nullptr || view->outcome == BinaryView::Outcome::unreadable) {
    out.state = DllOutcome::State::undetermined;
    out.reason = view == nullptr ? path + ": not looked at yet" : path + ": " + view->detail;
    return Step::pending;
  }
  const auto refuse = [&](DllFailure::Kind kind, std::uint32_t code, const char* outcome) {
    note(outcome);
    DllFailure failure;
    failure.kind = kind;
    failure.code = code;
    failure.path = path;
    failure.searched = searched;
    fail(out, std::move(failure), request);
    return Step::failed;
  };
  using Outcome = BinaryView::Outcome;
  switch (view->outcome) {
    case Outcome::missing:
    case Outcome::link_loop:
    case Outcome::not_regular:
      note(view->outcome == Outcome::not_regular ? "not-a-file" : "not-there");
      skip = true;
      return Step::found;
    case Outcome::denied: return refuse(DllFailure::Kind::denied, 5, "denied");
    case Outcome::too_short: return refuse(DllFailure::Kind::damaged, 193, "too-short");
    case Outcome::other_format:
    case Outcome::elf: return refuse(DllFailure::Kind::damaged, 193, "not-pe");
    case Outcome::malformed:
      if (!view->pe) return refuse(DllFailure::Kind::damaged, 193, "malformed");
      break;
    case Outcome::pe:
    case Outcome::unreadable: break;
  }
  if (!view->pe) return refuse(DllFailure::Kind::damaged, 193, "malformed");
  if (!fits(*view->pe)) {
    if (!variant_.wrong_machine_stops) {
      note("wrong-machine");
      skip = true;
      return Step::found;
    }
    return refuse(DllFailure::Kind::wrong_machine, 193, "wrong-machine");
  }
  if (view->outcome == Outcome::malformed) return refuse(DllFailure::Kind::damaged, 193, "malformed");
  if (view->pe->load_end > view->file_size) return refuse(DllFailure::Kind::damaged, 193, "cut-off");
  return Step::found;
}

WindowsLoader::Step WindowsLoader::find(const Request& request, const std::vector<Place>& places, std::string& path, std::string& rule,
                                        DllOutcome& out) {
  std::vector<SearchedPlace> searched;
  const auto missing = [&] {
    DllFailure failure;
    failure.searched = searched;
    fail(out, std::move(failure), request);
    return Step::failed;
  };
  bool skip = false;
  if (is_absolute(request.name)) {
    const auto step = try_file(request, request.name, "full-path", searched, skip, out);
    if (step == Step::found && skip) return missing();
    path = request.name;
    rule = "full-path";
    return step;
  }
  bool unknown = false;
  for (const auto& place : places) {
    if (place.folder.empty() || !is_absolute(place.folder)) continue;
    const auto relative = join_path(place.folder, request.name);   // the name may have a folder part
    const auto* view = folder(parent_path(relative));
    if (view == nullptr || view->outcome == FolderView::Outcome::unreadable) {
      // What lies in front is not known: nothing behind may be taken for the answer. Still wants the rest.
      if (!unknown) out.reason = view == nullptr ? place.folder + ": not listed yet" : place.folder + ": " + view->detail;
      unknown = true;
      continue;
    }
    const auto name = held(parent_path(relative), file_name(relative));
    if (!name) {
      const bool there = view->outcome == FolderView::Outcome::listed;
      searched.push_back({place.rule, relative, there ? "not-there" : view->outcome == FolderView::Outcome::denied ? "denied" : "no-such-folder"});
      continue;
    }
    if (unknown) break;
    path = join_path(parent_path(relative), *name);
    rule = place.rule;
    skip = false;
    const auto step = try_file(request, path, place.rule, searched, skip, out);
    if (step != Step::found || !skip) return step;
  }
  if (unknown) {
    out.state = DllOutcome::State::undetermined;
    return Step::pending;
  }
  return missing();
}

}  // namespace gpuway
