#include "sense/probes/python_finder.h"

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "sense/probes/home_folder.h"
#include "think/formats/python_records.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxCandidates = 5000, kMaxProjectFolders = 2000, kMaxProjectEntries = 10'000,
                      kMaxPathFolders = 64;
constexpr int kProjectDepth = 3;
constexpr std::uint64_t kMaxSettings = 1 << 20;

bool is_interpreter_name(std::string_view name) {
  return name == "python" || name == "python3" || parse_python_name(name).has_value();
}

// Folders that hold no projects, or far too many entries.
bool is_passed_over(std::string_view parent, std::string_view name) {
  if (name.starts_with('.')) return true;
  for (const auto* other : {"node_modules", "__pycache__", "site-packages", "dist-packages", "conda-meta", "pkgs"}) {
    if (name == other) return true;
  }
  if (parent != "/") return false;
  for (const auto* other :
       {"proc", "sys", "dev", "run", "usr", "lib", "lib64", "bin", "sbin", "var", "boot", "etc", "tmp"}) {
    if (name == other) return true;
  }
  return false;
}

}  // namespace

const std::string* PythonFinder::variable(const char* name) const {
  if (!host_.is_live()) return nullptr;
  const auto found = host_.environment().find(name);
  return found == host_.environment().end() || found->second.empty() ? nullptr : &found->second;
}

std::string PythonFinder::variable_or(const char* name, const std::string& fallback) const {
  const auto* value = variable(name);
  return value != nullptr ? *value : fallback;
}

void PythonFinder::add(const std::string& prefix, std::string_view kind, std::string_view found_by,
                       const std::string& executable) {
  if (found_.size() >= kMaxCandidates || !is_absolute(prefix)) return;
  found_.push_back({clean_path(prefix), std::string(kind), std::string(found_by), executable, {}});
}

// An interpreter's prefix is the folder above its bin/. Links are not followed here: a venv's python is one.
void PythonFinder::add_interpreter(const std::string& executable, std::string_view kind, std::string_view found_by) {
  if (host_.is_windows()) return add_windows_interpreter(from_windows_path(executable), kind, found_by);
  const auto path = clean_path(executable);
  if (is_absolute(path) && folders_.is_file(path)) add(parent_path(parent_path(path)), kind, found_by, path);
}

void PythonFinder::add_children(const std::string& folder, std::string_view kind, std::string_view found_by) {
  if (!is_absolute(folder)) return;
  const auto* listing = folders_.list(folder);
  if (listing == nullptr) return;
  for (const auto& entry : listing->entries) {
    if (entry.kind == FileKind::folder || entry.kind == FileKind::link || entry.kind == FileKind::other)
      add(join_path(folder, entry.name), kind, found_by);
  }
}

// A prefix, its bin folder, a project folder with an environment in it, or an interpreter.
bool PythonFinder::add_given(const std::string& given) {
  const auto path = clean_path(join_path(host_.current_folder(), given));
  if (folders_.is_folder(path)) {
    const auto start = file_name(path) == "bin" ? parent_path(path) : path;
    for (const auto& prefix :
         {start, start + "/.venv", start + "/venv", start + "/env", start + "/.pixi/envs/default"}) {
      const auto* bin = folders_.list(prefix + "/bin");
      const bool has =
          bin != nullptr && std::any_of(bin->entries.begin(), bin->entries.end(),
                                        [](const FolderEntry& entry) { return is_interpreter_name(entry.name); });
      if (!has) continue;
      add(prefix, "", "argument");
      if (!found_.empty()) found_.back().given = given;
      return true;
    }
    return false;
  }
  // An interpreter may carry a vendor's name ("intelpython3"); any other file is none.
  if (file_name(path).find("python") == std::string_view::npos && file_name(path).find("pypy") == std::string_view::npos) return false;
  // A dangling link is still the interpreter of an environment.
  const auto stat = host_.stat(path, false);
  if (!stat || (stat->kind != FileKind::regular && stat->kind != FileKind::link)) return false;
  add(parent_path(parent_path(path)), "", "argument", path);
  if (!found_.empty()) found_.back().given = given;
  return true;
}

std::string PythonFinder::pyenv_choice(const std::string& root) const {
  if (const auto* version = variable("PYENV_VERSION")) return *version;
  for (auto folder = host_.current_folder();; folder = parent_path(folder)) {
    if (const auto text = host_.read_file(join_path(folder, ".python-version"), 4096)) return *text;
    if (parent_path(folder) == folder) break;
  }
  const auto text = host_.read_file(root + "/version", 4096);
  return text ? *text : std::string();
}

// What pyenv's shims would start; false when that is the next python on PATH.
bool PythonFinder::add_pyenv_choice(const std::string& root) {
  auto choice = pyenv_choice(root);
  std::replace(choice.begin(), choice.end(), ':', '\n');
  for (const auto line : split_lines(choice)) {
    const auto name = trim(line.substr(0, line.find('#')));
    if (name.empty()) continue;
    if (name == "system") return false;
    std::string prefix;
    if (const auto* versions = folders_.list(root + "/versions")) {
      // "3.11" stands for the newest 3.11.N.
      std::int64_t newest = -1;
      for (const auto& entry : versions->entries) {
        if (entry.name == name) {
          prefix = root + "/versions/" + entry.name;
          break;
        }
        const auto part = std::string(name) + ".";
        const auto patch =
            entry.name.starts_with(part) ? to_integer(std::string_view(entry.name).substr(part.size())) : std::nullopt;
        if (!patch || *patch <= newest) continue;
        newest = *patch;
        prefix = root + "/versions/" + entry.name;
      }
    }
    if (prefix.empty()) continue;
    add(prefix, "pyenv", "PATH");
    return true;
  }
  return false;
}

void PythonFinder::add_interpreters_in(const std::string& bin, std::string_view found_by) {
  const auto listing = host_.list_matching(bin, 1000, &is_interpreter_name);
  if (!listing) return;
  for (const auto& entry : listing->entries) add_interpreter(join_path(bin, entry.name), "", found_by);
}

void PythonFinder::add_path_folders() {
  const auto* path = variable("PATH");
  if (path == nullptr) return;
  std::vector<std::string> folders;
  for (const auto part : split(*path, ':')) {
    // The shell takes a relative entry, and an empty one, from the current folder.
    const auto folder = clean_path(join_path(host_.current_folder(), part));
    if (is_absolute(folder) && folders.size() < kMaxPathFolders) folders.push_back(folder);
  }
  // What `python` starts in this shell; `python3` where there is none.
  bool decided = false;
  for (const auto* name : {"python", "python3"}) {
    for (const auto& folder : folders) {
      if (decided) break;
      const auto executable = join_path(folder, name);
      if (!folders_.is_file(executable)) continue;
      if (file_name(folder) != "shims") {
        add_interpreter(executable, "", "PATH");
        decided = true;
      } else if (folders_.is_folder(parent_path(folder) + "/versions")) {
        decided = add_pyenv_choice(parent_path(folder));
      }
    }
  }
  for (const auto& folder : folders) {
    if (file_name(folder) != "shims") add_interpreters_in(folder, "folder on PATH");
  }
}

void PythonFinder::add_active() {
  if (const auto* prefix = variable("VIRTUAL_ENV")) add(*prefix, "", "VIRTUAL_ENV");
  if (const auto* prefix = variable("CONDA_PREFIX")) add(*prefix, "conda", "CONDA_PREFIX");
  add_path_folders();
}

void PythonFinder::add_editor_settings(const std::string& folder) {
  const auto text = host_.read_file(folder + "/.vscode/settings.json", kMaxSettings);
  if (!text) return;
  const auto interpreter = parse_vscode_interpreter(*text);
  if (!interpreter || interpreter->empty()) return;
  auto path = *interpreter;
  for (const std::string_view name : {"${workspaceFolder}", "${workspaceRoot}"}) {
    if (path.starts_with(name)) path = folder + path.substr(name.size());
  }
  if (path.starts_with("~/")) path = home_folder(host_).value_or("/root") + path.substr(1);
  path = clean_path(join_path(folder, path));
  if (folders_.is_folder(path)) {
    add(path, "", "VS Code settings");
  } else {
    add_interpreter(path, "", "VS Code settings");
  }
}

void PythonFinder::add_project(const std::string& folder, const FolderListing& listing, std::string_view found_by) {
  for (const auto& entry : listing.entries) {
    if (entry.name == "pyvenv.cfg") add(folder, "", found_by);
    if (entry.name == ".pixi") add_children(folder + "/.pixi/envs", "pixi", found_by);
    if (entry.name == ".hatch") add_children(folder + "/.hatch", "hatch", found_by);
    if (entry.name == ".vscode") add_editor_settings(folder);
    if (entry.name == ".venv" && entry.kind == FileKind::link) add(folder + "/.venv", "", found_by);
  }
}

void PythonFinder::look_below(const std::string& folder, int depth, ProjectSearch& search) {
  if (search.folders_left == 0) return;
  --search.folders_left;
  const auto listing = host_.list_folder(folder, kMaxProjectEntries);
  if (!listing) return;
  add_project(folder, *listing, search.found_by);
  if (depth == search.depth) return;
  const bool is_environment =
      std::any_of(listing->entries.begin(), listing->entries.end(),
                  [](const FolderEntry& entry) { return entry.name == "pyvenv.cfg" || entry.name == "conda-meta"; });
  if (is_environment) return;
  for (const auto& entry : listing->entries) {
    if (entry.kind != FileKind::folder) continue;
    // Environments hide behind a dot more often than projects do.
    const bool hidden =
        entry.name == ".venv" || entry.name == ".env" || entry.name == ".virtualenv" || entry.name == ".conda";
    if (!hidden && is_passed_over(folder, entry.name)) continue;
    const auto path = join_path(folder, entry.name);
    if (hidden) {
      add(path, "", search.found_by);
    } else {
      look_below(path, depth + 1, search);
    }
  }
}

void PythonFinder::add_projects() {
  const auto here = host_.current_folder();
  if (!is_absolute(here)) return;
  ProjectSearch below{"project folder", kProjectDepth, kMaxProjectFolders};
  look_below(here, 0, below);
  for (auto folder = here; parent_path(folder) != folder;) {
    folder = parent_path(folder);
    for (const auto* name : {".venv", "venv", "env"}) {
      const auto prefix = join_path(folder, name);
      if (folders_.is_file(prefix + "/pyvenv.cfg")) add(prefix, "", "project folder");
    }
    if (folders_.is_folder(folder + "/.pixi/envs")) add_children(folder + "/.pixi/envs", "pixi", "project folder");
  }
}

std::vector<std::string> PythonFinder::homes() const {
  if (host_.is_live()) {
    const auto home = home_folder(host_);
    return home && is_absolute(*home) ? std::vector<std::string>{*home} : std::vector<std::string>{};
  }
  std::vector<std::string> out = {"/root"};
  if (const auto listing = host_.list_folder("/home", 256)) {
    for (const auto& entry : listing->entries) out.push_back("/home/" + entry.name);
  }
  return out;
}

std::vector<PrefixCandidate> PythonFinder::find(std::vector<std::string>& not_found) {
  if (host_.is_windows()) return find_on_windows(not_found);
  for (const auto& given : search_.prefixes) {
    if (!add_given(given)) not_found.push_back(given);
  }
  if (search_.search_everywhere) {
    add_active();
    if (host_.is_live()) add_projects();
    for (const auto& home : homes()) add_home(home);
    add_shared_places();
  }
  return std::exchange(found_, {});
}

}  // namespace gpuway
