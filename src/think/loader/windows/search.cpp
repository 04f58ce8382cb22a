#include <set>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "think/loader/windows/windows_loader.h"

namespace gpuway {
namespace {

constexpr std::uint32_t kAnySearch = kSearchDllLoadDir | kSearchApplication | kSearchUserDirs | kSearchSystem32 | kSearchDefaultDirs;

// Kinds of files that a listing of a Windows folder keeps.
bool is_listed_kind(std::string_view name) {
  const auto lower = to_lower(name);
  return lower.ends_with(".dll") || lower.ends_with(".pyd") || lower.ends_with(".exe");
}

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
  if ((flags & kAnySearch) == 0 && process_.default_flags != 0) {
    if ((flags & kAlteredSearchPath) != 0) flags |= kSearchDllLoadDir;
    flags |= process_.default_flags;
  }
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
      note("not-there");
      skip = true;
      return Step::found;
    case Outcome::not_regular: return refuse(DllFailure::Kind::denied, 5, "not-a-file");
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
    const bool full = rule == "full-path";
    if (full || !runs_on_this_windows(view->pe->machine)) return refuse(DllFailure::Kind::wrong_machine, 193, "wrong-machine");
    note("wrong-machine");
    skip = true;
    return Step::found;
  }
  if (view->outcome == Outcome::malformed) return refuse(DllFailure::Kind::damaged, 193, "malformed");
  if (view->pe->is_cut_off(view->file_size)) return refuse(DllFailure::Kind::damaged, 193, "cut-off");
  return Step::found;
}

WindowsLoader::Step WindowsLoader::find(const Request& request, const std::vector<Place>& places, std::string& path, std::string& rule,
                                        DllOutcome& out) {
  std::vector<SearchedPlace> searched;
  bool skip = false;
  if (is_absolute(request.name)) {
    path = request.name;
    rule = "full-path";
    const auto step = try_file(request, path, rule, searched, skip, out);
    if (step != Step::found || !skip) return step;
    DllFailure failure;
    failure.searched = searched;
    fail(out, std::move(failure), request);
    return Step::failed;
  }
  std::string unknown, unfit;
  std::set<std::string> passed;
  for (const auto& place : places) {
    if (place.folder.empty() || !is_absolute(place.folder)) continue;
    const auto file = collapse_path(join_path(place.folder, request.name));   // the name may have a folder part
    if (!passed.insert(to_lower(file)).second) continue;
    const auto name = look_for(place, file, searched, unknown);
    // What lies in front is not known: nothing behind may be taken for the answer. Still wants the rest.
    if (!name || !unknown.empty()) continue;
    path = *name;
    rule = place.rule;
    skip = false;
    const auto step = try_file(request, path, place.rule, searched, skip, out);
    if (step != Step::found || !skip) return step;
    if (unfit.empty() && searched.back().outcome == "wrong-machine") unfit = path;
  }
  if (!unknown.empty()) {
    out.state = DllOutcome::State::undetermined;
    out.reason = unknown;
    return Step::pending;
  }
  DllFailure failure;
  failure.searched = searched;
  if (!unfit.empty()) {
    failure.kind = DllFailure::Kind::wrong_machine;
    failure.code = 193;
    failure.path = unfit;
  }
  fail(out, std::move(failure), request);
  return Step::failed;
}

// The path under which the folder has the file, in any case. `unknown` is set when nobody has looked there.
std::optional<std::string> WindowsLoader::look_for(const Place& place, const std::string& file, std::vector<SearchedPlace>& searched, std::string& unknown) {
  const auto parent = parent_path(file);
  const auto name = file_name(file);
  if (!is_listed_kind(name)) return file;   // listings leave such names out: the file itself is asked for
  const auto* view = folder(parent);
  if (view == nullptr || view->outcome == FolderView::Outcome::unreadable) {
    if (unknown.empty()) unknown = view == nullptr ? parent + ": not listed yet" : parent + ": " + view->detail;
    return std::nullopt;
  }
  if (const auto there = held(parent, name)) return join_path(parent, *there);
  const bool listed = view->outcome == FolderView::Outcome::listed;
  searched.push_back({place.rule, file, listed ? "not-there" : view->outcome == FolderView::Outcome::denied ? "denied" : "no-such-folder"});
  return std::nullopt;
}

}  // namespace gpuway
