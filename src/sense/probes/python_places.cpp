// Where the tools that make environments keep them. Sources: the tools' own documentation and the locators of
// microsoft/python-environment-tools, as collected in the knowledge about binaries and environments (2026-12).
#include "base/path.h"
#include "base/text.h"
#include "sense/probes/python_finder.h"
#include "think/formats/python_records.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kMaxList = 1 << 20;

// The value of `key = "value"` in a section of a TOML file; enough for the two settings that move Poetry's folders.
std::string toml_text(std::string_view text, std::string_view section, std::string_view key) {
  bool inside = section.empty();
  for (const auto raw : split_lines(text)) {
    const auto line = trim(raw);
    if (line.starts_with('[')) {
      inside = line == "[" + std::string(section) + "]";
      continue;
    }
    const auto equals = line.find('=');
    if (!inside || equals == std::string_view::npos || trim(line.substr(0, equals)) != key) continue;
    const auto value = trim(line.substr(equals + 1));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
      return std::string(value.substr(1, value.size() - 2));
  }
  return {};
}

std::string with_home(std::string_view path, const std::string& home) {
  if (path.starts_with("~/")) return home + std::string(path.substr(1));
  return std::string(path);
}

}  // namespace

void PythonFinder::add_home(const std::string& home) {
  const auto data = variable_or("XDG_DATA_HOME", home + "/.local/share");
  const auto cache = variable_or("XDG_CACHE_HOME", home + "/.cache");
  for (const auto* name : {".virtualenvs", ".venvs", "venvs", "envs", "Envs", ".direnv"})
    add_children(home + "/" + name, "", home + "/" + name);
  for (const auto* name : {".venv", "venv"}) add(home + "/" + name, "", home);
  if (const auto* work = variable("WORKON_HOME")) add_children(*work, "pipenv", "WORKON_HOME");
  add_children(data + "/virtualenvs", "pipenv", data + "/virtualenvs");
  add_uv(data);
  add_pyenv(variable_or("PYENV_ROOT", home + "/.pyenv"));
  add_poetry(home, cache);
  for (const auto& root : {variable_or("PIPX_HOME", data + "/pipx"), home + "/.local/pipx"})
    add_children(root + "/venvs", "pipx", root);
  add_hatch(variable_or("HATCH_DATA_DIR", data + "/hatch") + "/env/virtual");
  add_conda(home);
  // Managers of several languages keep plain prefixes.
  for (const auto& root :
       {home + "/.asdf/installs/python", data + "/mise/installs/python", data + "/rtx/installs/python"})
    add_children(root, "", root);
  add_interpreters_in(home + "/.local/bin", home + "/.local/bin");
  add_kernels(variable_or("JUPYTER_DATA_DIR", data + "/jupyter") + "/kernels");
  if (const auto* more = variable("JUPYTER_PATH")) {
    for (const auto part : split(*more, ':')) add_kernels(std::string(part) + "/kernels");
  }
}

void PythonFinder::add_uv(const std::string& data) {
  const auto root = variable_or("UV_PYTHON_INSTALL_DIR", data + "/uv/python");
  // Links there are aliases (cpython-3.12-...) of the folders beside them.
  if (const auto* listing = folders_.list(root)) {
    for (const auto& entry : listing->entries) {
      if (entry.kind == FileKind::folder && (entry.name.starts_with("cpython-") || entry.name.starts_with("pypy-")))
        add(join_path(root, entry.name), "uv", root);
    }
  }
  const auto tools = variable_or("UV_TOOL_DIR", data + "/uv/tools");
  add_children(tools, "uv", tools);
}

void PythonFinder::add_pyenv(const std::string& root) {
  const auto* listing = folders_.list(root + "/versions");
  if (listing == nullptr) return;
  for (const auto& entry : listing->entries) {
    const auto prefix = root + "/versions/" + entry.name;
    add(prefix, "pyenv", root);
    if (entry.kind == FileKind::folder) add_children(prefix + "/envs", "", root);  // pyenv-virtualenv, or conda's own
  }
}

void PythonFinder::add_poetry(const std::string& home, const std::string& cache) {
  auto folder = variable_or("POETRY_CACHE_DIR", cache + "/pypoetry") + "/virtualenvs";
  if (const auto text =
          host_.read_file(variable_or("XDG_CONFIG_HOME", home + "/.config") + "/pypoetry/config.toml", kMaxList)) {
    const auto moved_cache = toml_text(*text, "", "cache-dir"), moved = toml_text(*text, "virtualenvs", "path");
    if (!moved_cache.empty()) folder = with_home(moved_cache, home) + "/virtualenvs";
    const std::string_view variable_part = "{cache-dir}";
    if (moved.starts_with(variable_part)) {
      folder = parent_path(folder) + moved.substr(variable_part.size());
    } else if (!moved.empty()) {
      folder = with_home(moved, home);
    }
  }
  folder = variable_or("POETRY_VIRTUALENVS_PATH", folder);
  add_children(folder, "poetry", folder);
}

// <project>/<id>/<environment>
void PythonFinder::add_hatch(const std::string& root) {
  const auto* projects = folders_.list(root);
  if (projects == nullptr) return;
  for (const auto& project : projects->entries) {
    const auto* ids = folders_.list(join_path(root, project.name));
    if (ids == nullptr) continue;
    for (const auto& id : ids->entries) add_children(root + "/" + project.name + "/" + id.name, "hatch", root);
  }
}

void PythonFinder::add_conda_root(const std::string& root, std::string_view found_by) {
  if (!folders_.is_folder(root)) return;
  add(root, "conda", found_by);
  add_children(root + "/envs", "conda", found_by);
}

// `envs_dirs:` and the list below it; the file is YAML, of which no more is needed.
void PythonFinder::add_condarc(const std::string& file, const std::string& home) {
  const auto text = host_.read_file(file, kMaxList);
  if (!text) return;
  bool inside = false;
  for (const auto raw : split_lines(*text)) {
    const auto line = trim(raw.substr(0, raw.find(" #")));
    if (line.starts_with("envs_dirs:")) {
      inside = true;
    } else if (inside && line.starts_with('-')) {
      auto value = trim(line.substr(1));
      if (value.size() >= 2 && (value.front() == '"' || value.front() == '\''))
        value = value.substr(1, value.size() - 2);
      add_children(with_home(value, home), "conda", file);
    } else if (!line.empty() && !line.starts_with('#')) {
      inside = false;
    }
  }
}

void PythonFinder::add_conda(const std::string& home) {
  const auto list = home + "/.conda/environments.txt";
  if (const auto text = host_.read_file(list, kMaxList)) {
    for (const auto line : split_lines(*text)) add(std::string(trim(line)), "conda", list);
  }
  for (const auto* name :
       {"anaconda3", "miniconda3", "miniforge3", "mambaforge", "micromamba", "miniforge", "miniconda", "anaconda"}) {
    add_conda_root(home + "/" + name, home + "/" + name);
  }
  add_children(home + "/.conda/envs", "conda", home + "/.conda/envs");
  add_children(home + "/.local/share/mamba/envs", "conda", home + "/.local/share/mamba");
  add_children(home + "/.pixi/envs", "pixi", home + "/.pixi");
  for (const auto& file : {home + "/.condarc", home + "/.conda/.condarc", std::string("/etc/conda/.condarc")})
    add_condarc(file, home);
  for (const auto* name : {"CONDA_ROOT", "MAMBA_ROOT_PREFIX"}) {
    if (const auto* root = variable(name)) add_conda_root(*root, name);
  }
  if (const auto* program = variable("CONDA_EXE")) add_conda_root(parent_path(parent_path(*program)), "CONDA_EXE");
  for (const auto* name : {"CONDA_ENVS_PATH", "CONDA_ENVS_DIRS"}) {
    const auto* folders = variable(name);
    if (folders == nullptr) continue;
    for (const auto part : split(*folders, ':')) add_children(std::string(part), "conda", name);
  }
}

void PythonFinder::add_shared_places() {
  for (const auto* root : {"/opt/conda", "/opt/miniconda3", "/opt/anaconda3", "/opt/miniforge3", "/opt/mambaforge"})
    add_conda_root(root, root);
  add_children("/opt/pipx/venvs", "pipx", "/opt/pipx");
  // Images of containers keep their environment where no variable of ours points to.
  for (const auto* prefix : {"/venv", "/.venv", "/opt/venv", "/opt/.venv", "/app/.venv", "/app/venv",
                             "/workspace/.venv", "/workspace/venv", "/code/.venv"}) {
    add(prefix, "", "usual place");
  }
  add_children("/opt", "", "usual place");
  add_children("/opt/python", "", "/opt/python");
  for (const auto* bin : {"/usr/bin", "/usr/local/bin"}) add_interpreters_in(bin, bin);
  for (const auto* folder : {"/usr/share/jupyter/kernels", "/usr/local/share/jupyter/kernels"}) add_kernels(folder);
}

void PythonFinder::add_kernels(const std::string& folder) {
  const auto* listing = folders_.list(folder);
  if (listing == nullptr) return;
  for (const auto& entry : listing->entries) {
    const auto text = host_.read_file(join_path(folder, entry.name) + "/kernel.json", kMaxList);
    if (!text) continue;
    const auto interpreter = parse_kernel_interpreter(*text);
    // A bare "python" means the PATH of the notebook server, which nobody knows here.
    if (interpreter && is_absolute(host_.is_windows() ? from_windows_path(*interpreter) : *interpreter)) add_interpreter(*interpreter, "", "kernelspec:" + entry.name);
  }
}

std::vector<PrefixCandidate> PythonFinder::kernels_of(const std::string& prefix) {
  add_kernels(prefix + "/share/jupyter/kernels");
  return std::exchange(found_, {});
}

}  // namespace gpuway
