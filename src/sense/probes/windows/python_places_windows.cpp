#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "sense/probes/home_folder.h"
#include "sense/probes/python_finder.h"

// Where Python environments can be on Windows. Source: microsoft/python-environment-tools, PEP 514 (shared facts binaries.md 4.1).

namespace gpuway {
namespace {

constexpr std::size_t kMaxPathFolders = 64, kMaxRegistered = 256;

}  // namespace

// A virtual environment keeps its python.exe in Scripts, every other prefix in itself.
void PythonFinder::add_windows_interpreter(const std::string& executable, std::string_view kind, std::string_view found_by) {
  const auto path = clean_path(executable);
  if (!is_absolute(path) || !folders_.is_file(path)) return;
  const auto folder = parent_path(path);
  add(to_lower(file_name(folder)) == "scripts" ? parent_path(folder) : folder, kind, found_by, path);
}

bool PythonFinder::add_given_on_windows(const std::string& given) {
  const auto path = clean_path(join_path(host_.current_folder(), from_windows_path(given)));
  const auto named = [&](const std::string& prefix, const std::string& executable) {
    add(prefix, "", "argument", executable);
    if (!found_.empty()) found_.back().given = given;
    return true;
  };
  if (folders_.is_folder(path)) {
    const auto start = to_lower(file_name(path)) == "scripts" ? parent_path(path) : path;
    for (const auto& prefix : {start, start + "/.venv", start + "/venv", start + "/env", start + "/.pixi/envs/default"}) {
      if (folders_.is_file(prefix + "/python.exe") || folders_.is_file(prefix + "/Scripts/python.exe")) return named(prefix, "");
    }
    return false;
  }
  if (to_lower(file_name(path)).find("python") == std::string::npos || !folders_.is_file(path)) return false;
  const auto folder = parent_path(path);
  return named(to_lower(file_name(folder)) == "scripts" ? parent_path(folder) : folder, path);
}

// PEP 514: HKCU before HKLM, both views.
void PythonFinder::add_registered() {
  for (const auto* root : {"HKCU/SOFTWARE/Python", "HKLM/SOFTWARE/Python"}) {
    for (const auto view : {RegistryView::bits64, RegistryView::bits32}) {
      const auto companies = host_.read_registry(root, view);
      if (!companies) continue;
      for (const auto& company : companies->subkeys) {
        if (to_lower(company) == "pylauncher") continue;
        const auto tags = host_.read_registry(std::string(root) + "/" + company, view);
        if (!tags) continue;
        for (const auto& tag : tags->subkeys) {
          if (found_.size() >= kMaxRegistered) return;
          const auto place = host_.read_registry(std::string(root) + "/" + company + "/" + tag + "/InstallPath", view);
          if (!place) continue;
          const auto text = [&](const char* name) {
            const auto found = place->values.find(name);
            return found == place->values.end() ? std::string() : clean_path(from_windows_path(found->second.text));
          };
          const auto executable = text("ExecutablePath"), prefix = text("");
          // The Store's packages lie where nobody may list; their aliases are found on PATH.
          if (to_lower(executable + prefix).find("/windowsapps/") != std::string::npos) continue;
          const std::string found_by = "registry:" + company + "\\" + tag;
          if (is_absolute(prefix)) {
            add(prefix, "system", found_by);
          } else if (is_absolute(executable)) {
            add_windows_interpreter(executable, "system", found_by);
          }
        }
      }
    }
  }
}

void PythonFinder::add_windows_path() {
  const auto* path = variable("PATH");
  if (path == nullptr) return;
  bool decided = false;
  std::size_t count = 0;
  for (const auto& folder : windows_path_list(*path)) {
    if (++count > kMaxPathFolders || !is_absolute(folder)) continue;
    const auto executable = join_path(clean_path(folder), "python.exe");
    if (!folders_.is_file(executable)) continue;
    add_windows_interpreter(executable, "", decided ? "folder on PATH" : "PATH");
    decided = true;
  }
}

void PythonFinder::add_windows_home(const std::string& home) {
  const auto local = windows_path_variable("LOCALAPPDATA", home + "/AppData/Local");
  const auto roaming = windows_path_variable("APPDATA", home + "/AppData/Roaming");
  add_children(local + "/Programs/Python", "", "Programs\\Python");
  add_children(roaming + "/uv/python", "uv", "uv");
  add_children(windows_path_variable("WORKON_HOME", home + "/Envs"), "", "WORKON_HOME");
  for (const auto* folder : {"/.virtualenvs", "/.venvs", "/envs"}) add_children(home + folder, "", "home folder");
  add_children(home + "/.pyenv/pyenv-win/versions", "pyenv", "pyenv-win");
  add_children(local + "/pypoetry/Cache/virtualenvs", "poetry", "Poetry");
  for (const auto& folder : {home + "/pipx/venvs", local + "/pipx/venvs", home + "/.local/pipx/venvs"}) add_children(folder, "pipx", "pipx");
  add_conda_on_windows(home);
  for (const auto* name : {"anaconda3", "miniconda3", "miniforge3", "mambaforge"}) {
    for (const auto& root : {home, local, windows_path_variable("PROGRAMDATA", "C:/ProgramData"), std::string("C:")}) {
      const auto prefix = root + "/" + name;
      if (!folders_.is_folder(prefix + "/conda-meta")) continue;
      add(prefix, "conda", "conda");
      add_children(prefix + "/envs", "conda", "conda");
    }
  }
  add_kernels(roaming + "/jupyter/kernels");
}

// conda's own list of the environments that it has made.
void PythonFinder::add_conda_on_windows(const std::string& home) {
  const auto text = host_.read_file(home + "/.conda/environments.txt", 1 << 20);
  if (text) {
    for (const auto line : split_lines(*text)) {
      if (!trim(line).empty()) add(from_windows_path(trim(line)), "conda", "environments.txt");
    }
  }
  add_children(home + "/.conda/envs", "conda", "conda");
}

std::string PythonFinder::windows_path_variable(const char* name, const std::string& otherwise) const {
  const auto* value = variable(name);
  return value == nullptr ? otherwise : clean_path(from_windows_path(*value));
}

std::vector<PrefixCandidate> PythonFinder::find_on_windows(std::vector<std::string>& not_found) {
  for (const auto& given : search_.prefixes) {
    if (!add_given_on_windows(given)) not_found.push_back(given);
  }
  if (search_.search_everywhere) {
    for (const auto* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
      const auto prefix = windows_path_variable(name, "");
      if (!prefix.empty()) add(prefix, name == std::string_view("CONDA_PREFIX") ? "conda" : "", name);
    }
    add_windows_path();
    if (host_.is_live()) add_projects();
    add_registered();
    if (const auto home = home_folder(host_); home && is_absolute(*home)) add_windows_home(*home);
  }
  return std::exchange(found_, {});
}

}  // namespace gpuway
