#include "commands/inspect_paths.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "sense/probes/python_environments.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxEntries = 1'000'000;  // of one folder
constexpr std::size_t kMaxFolders = 100'000, kMaxFiles = 50'000;
constexpr int kMaxDepth = 64;

// A program that every system has and that brings nothing but libc along.
constexpr const char* kPlainProgram = "/bin/sh";
constexpr const char* kPlainWindowsProgram = "explorer.exe";   // every Windows has it, outside of the folders that are searched anyway

bool is_library_name(std::string_view name) {
  return name.ends_with(".so") || name.find(".so.") != std::string_view::npos || name.ends_with(".cubin") ||
         name.ends_with(".fatbin") || name.ends_with(".dll") || name.ends_with(".pyd");
}

std::string real_program(const Host& host, const std::string& path) {
  auto real = host.real_path(path);
  return real ? real.take() : path;
}

// Files with a library's name in the folder and below, in path order.
Status list_libraries(const Host& host, const std::string& top, FilesToInspect& found) {
  struct Folder {
    std::string path;
    int depth;
  };
  std::vector<Folder> open{{top, 0}};
  std::size_t folders = 0;
  while (!open.empty()) {
    const auto folder = std::move(open.back());
    open.pop_back();
    const auto listing = host.list_folder(folder.path, kMaxEntries);
    if (!listing) {
      if (folder.depth == 0) return listing.error();
      found.problems.push_back(folder.path + ": " + listing.error().text());
      continue;
    }
    if (!listing->complete)
      found.problems.push_back(folder.path + ": too-large: more than " + std::to_string(kMaxEntries) + " entries");
    for (const auto& entry : listing->entries) {
      auto kind = entry.kind;
      const auto path = join_path(folder.path, entry.name);
      if (kind == FileKind::other) {
        if (const auto stat = host.stat(path, false)) kind = stat->kind;
      }
      if (kind == FileKind::folder) {
        if (folder.depth == kMaxDepth || ++folders > kMaxFolders) {
          found.problems.push_back(path + ": too-large: more than " + std::to_string(kMaxFolders) + " folders or " +
                                   std::to_string(kMaxDepth) + " levels");
        } else {
          open.push_back({path, folder.depth + 1});
        }
      } else if (kind == FileKind::regular && is_library_name(entry.name)) {
        if (found.request.files.size() == kMaxFiles) {
          found.problems.push_back(top + ": too-large: more than " + std::to_string(kMaxFiles) + " libraries");
          return Done{};
        }
        found.request.files.push_back(path);
      }
    }
    if (found.problems.size() > 1000) return Done{};
  }
  return Done{};
}

bool looks_like_environment(const Host& host, const std::string& folder) {
  for (const auto* mark : {"pyvenv.cfg", "conda-meta", "bin/python", "bin/python3", "python.exe"}) {
    if (host.stat(join_path(folder, mark), true)) return true;
  }
  return false;
}

Status list_environment(const Host& host, const std::string& path, FilesToInspect& found) {
  Snapshot looked;
  PythonSearch search;
  search.prefixes = {path};
  search.search_everywhere = false;
  std::vector<std::string> not_found;
  collect_python_environments(host, search, looked, not_found);
  if (looked.environments.empty()) return list_libraries(host, path, found);
  const auto& environment = looked.environments.front();
  if (environment.real_executable.is_known()) found.request.program = *environment.real_executable;
  std::set<std::string> seen;
  for (const auto& folder : environment.search_path) {
    const bool own = is_below(folder.path, environment.path) || is_below(folder.path, path);
    const bool site = file_name(folder.path) == "site-packages" || file_name(folder.path) == "dist-packages";
    if (!own || !site || !folder.exists || !seen.insert(folder.path).second) continue;
    GPUWAY_TRY(list_libraries(host, folder.path, found));
  }
  return Done{};
}

// The Python that a file of an environment belongs to loads it; anything else is loaded by a program of Windows.
std::string windows_program(const Host& host, const WindowsFacts& windows, const std::string& path) {
  constexpr int levels = 12;
  auto folder = path;
  for (int i = 0; i < levels && parent_path(folder) != folder; ++i) {
    folder = parent_path(folder);
    if (!host.stat(join_path(folder, "python.exe"), true) && !host.stat(join_path(folder, "pyvenv.cfg"), true)) continue;
    Snapshot looked;
    PythonSearch search;
    search.prefixes = {folder};
    search.search_everywhere = false;
    std::vector<std::string> not_found;
    collect_python_environments(host, search, looked, not_found);
    if (!looked.environments.empty() && looked.environments.front().real_executable.is_known()) return *looked.environments.front().real_executable;
  }
  return join_path(windows.windows_folder, kPlainWindowsProgram);
}

}  // namespace

Result<FilesToInspect> files_to_inspect(const Host& host, const Snapshot& snapshot, const std::string& path) {
  if (path.empty()) return make_error(ErrorCode::not_found, "the path is empty");
  FilesToInspect found;
  const auto full = clean_path(is_absolute(path) ? path : join_path(snapshot.current_folder, path));
  found.request.program = snapshot.windows ? windows_program(host, *snapshot.windows, full) : real_program(host, kPlainProgram);
  const auto stat = host.stat(full, true);
  if (!stat) return stat.error();
  if (stat->kind != FileKind::folder) {
    found.request.files.push_back(full);
    return found;
  }
  GPUWAY_TRY(looks_like_environment(host, full) ? list_environment(host, full, found)
                                                : list_libraries(host, full, found));
  std::sort(found.request.files.begin(), found.request.files.end());
  return found;
}

}  // namespace gpuway
