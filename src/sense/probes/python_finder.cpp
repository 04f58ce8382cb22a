#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/path.h"
#include "base/text.h"
#include "sense/probes/python_prefix.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxProjectFolders = 2000;
constexpr int kProjectDepth = 3;

class Finder {
 public:
  Finder(FolderCache& folders, const PythonSearch& search) : folders_(folders), host_(folders.host()), search_(search) {}

  std::vector<PrefixCandidate> find(std::vector<std::string>& not_found) {
    for (const auto& given : search_.prefixes) {
      if (!add_given(given)) not_found.push_back(given);
    }
    if (search_.search_everywhere) {
      add_active();
      if (host_.is_live()) add_projects();
      for (const auto& home : homes()) add_home(home);
      add_children("/opt/conda/envs", "conda", "/opt/conda");
      for (const auto* root : {"/opt/conda", "/opt/miniconda3", "/opt/anaconda3", "/opt/miniforge3"}) add(root, "conda", root);
      add_children("/opt/pipx/venvs", "pipx", "/opt/pipx");
      for (const auto* root : {"/opt/venv", "/venv", "/app/.venv", "/opt/python"}) add(root, "", root);
      add_system();
      add_kernels("/usr/share/jupyter/kernels");
      add_kernels("/usr/local/share/jupyter/kernels");
    }
    return std::move(found_);
  }

 private:
  const std::string* variable(const char* name) const {
    const auto found = host_.environment().find(name);
    return found == host_.environment().end() || found->second.empty() ? nullptr : &found->second;
  }

  void add(const std::string& prefix, const std::string& kind, const std::string& found_by, const std::string& executable = {}) {
    found_.push_back({prefix, kind, found_by, executable});
  }

  // An interpreter's prefix is the folder above its bin/; links are not followed here, since a venv's python is one.
  void add_interpreter(const std::string& executable, const std::string& kind, const std::string& found_by) {
    const auto bin = parent_path(executable);
    if (file_name(bin) == "bin" && folders_.is_file(executable)) add(parent_path(bin), kind, found_by, executable);
  }

  bool add_given(const std::string& given) {
    auto path = collapse_path(is_absolute(given) ? given : join_path(host_.current_folder(), given));
    if (folders_.is_folder(path)) {
      if (file_name(path) == "bin") path = parent_path(path);
      for (const auto& prefix : {path, path + "/.venv", path + "/venv"}) {
        if (folders_.list(prefix + "/bin") == nullptr) continue;
        add(prefix, "", "argument");
        return true;
      }
      return false;
    }
    const auto stat = host_.stat(path, false);
    if (!stat) return false;
    if (file_name(parent_path(path)) != "bin") return false;
    add(parent_path(parent_path(path)), "", "argument", path);
    return true;
  }

  void add_active() {
    if (const auto* prefix = variable("VIRTUAL_ENV")) add(*prefix, "", "VIRTUAL_ENV");
    if (const auto* prefix = variable("CONDA_PREFIX")) add(*prefix, "conda", "CONDA_PREFIX");
    const auto* path = variable("PATH");
    if (path == nullptr) return;
    for (const auto part : split(*path, ':')) {
      if (!is_absolute(part)) continue;
      for (const auto* name : {"python3", "python"}) {
        const auto executable = join_path(clean_path(part), name);
        // pyenv's shims are scripts, no interpreters.
        if (executable.find("/shims/") != std::string::npos || !folders_.is_file(executable)) continue;
        add_interpreter(executable, "", "PATH");
        return;
      }
    }
  }

  void add_projects() {
    const auto here = host_.current_folder();
    for (auto folder = here; folder != "/" && folder != "."; folder = parent_path(folder)) {
      for (const auto* name : {".venv", "venv", "env"}) {
        if (folders_.is_file(folder + "/" + name + "/pyvenv.cfg")) add(folder + "/" + name, "", "project folder");
      }
    }
    if (folders_.is_file(here + "/pyvenv.cfg")) add(here, "", "current folder");
    std::size_t looked = 0;
    look_below(here, 0, looked);
  }

  void look_below(const std::string& folder, int depth, std::size_t& looked) {
    const auto listing = host_.list_folder(folder, 10'000);
    if (!listing) return;
    for (const auto& entry : listing->entries) {
      if (entry.kind != FileKind::folder || ++looked > kMaxProjectFolders) continue;
      const auto path = join_path(folder, entry.name);
      if (folders_.is_file(path + "/pyvenv.cfg")) {
        add(path, "", "project folder");
        continue;
      }
      if (entry.name == ".pixi") add_children(path + "/envs", "pixi", "project folder");
      if (entry.name.starts_with('.') || entry.name == "node_modules" || entry.name == "__pycache__" || entry.name == "proc" ||
          entry.name == "sys" || entry.name == "dev" || entry.name == "site-packages" || depth >= kProjectDepth - 1) {
        continue;
      }
      look_below(path, depth + 1, looked);
    }
  }

  std::vector<std::string> homes() const {
    if (host_.is_live()) {
      if (const auto* home = variable("HOME")) return {*home};
      return {};
    }
    std::vector<std::string> out = {"/root"};
    if (const auto listing = host_.list_folder("/home", 256)) {
      for (const auto& entry : listing->entries) out.push_back("/home/" + entry.name);
    }
    return out;
  }

  void add_children(const std::string& folder, const std::string& kind, const std::string& found_by) {
    const auto* listing = folders_.list(folder);
    if (listing == nullptr) return;
    for (const auto& entry : listing->entries) {
      if (entry.kind != FileKind::folder && entry.kind != FileKind::link) continue;
      add(join_path(folder, entry.name), kind, found_by);
    }
  }

  std::string or_default(const char* name, const std::string& fallback) const {
    const auto* value = host_.is_live() ? variable(name) : nullptr;
    return value != nullptr ? *value : fallback;
  }

  void add_home(const std::string& home) {
    const auto data = or_default("XDG_DATA_HOME", home + "/.local/share");
    const auto cache = or_default("XDG_CACHE_HOME", home + "/.cache");
    for (const auto* name : {".virtualenvs", ".venvs", "envs", "Envs", "venvs"}) add_children(home + "/" + name, "", home + "/" + name);
    if (host_.is_live()) {
      if (const auto* work = variable("WORKON_HOME")) add_children(*work, "", "WORKON_HOME");
    }
    add_children(data + "/virtualenvs", "pipenv", data + "/virtualenvs");
    add_children(cache + "/pypoetry/virtualenvs", "poetry", cache + "/pypoetry/virtualenvs");
    const auto uv = or_default("UV_PYTHON_INSTALL_DIR", data + "/uv/python");
    if (const auto* listing = folders_.list(uv)) {
      for (const auto& entry : listing->entries) {
        if (entry.kind == FileKind::folder && entry.name.starts_with("cpython-")) add(join_path(uv, entry.name), "uv", uv);
      }
    }
    add_children(data + "/uv/tools", "uv", data + "/uv/tools");
    const auto pyenv = or_default("PYENV_ROOT", home + "/.pyenv");
    if (const auto* listing = folders_.list(pyenv + "/versions")) {
      for (const auto& entry : listing->entries) {
        add(pyenv + "/versions/" + entry.name, "pyenv", pyenv);
        add_children(pyenv + "/versions/" + entry.name + "/envs", "virtualenv", pyenv);
      }
    }
    for (const auto& root : {or_default("PIPX_HOME", data + "/pipx"), home + "/.local/pipx"}) add_children(root + "/venvs", "pipx", root);
    add_hatch(or_default("HATCH_DATA_DIR", data + "/hatch") + "/env/virtual");
    if (const auto text = host_.read_file(home + "/.conda/environments.txt", 1 << 20)) {
      for (const auto line : split_lines(*text)) {
        if (is_absolute(trim(line))) add(std::string(trim(line)), "conda", home + "/.conda/environments.txt");
      }
    }
    for (const auto* name : {"anaconda3", "miniconda3", "miniforge3", "mambaforge", "micromamba", "miniforge", ".conda"}) {
      const auto root = home + "/" + name;
      if (folders_.list(root + "/conda-meta") != nullptr) add(root, "conda", root);
      add_children(root + "/envs", "conda", root);
    }
    add_kernels(data + "/jupyter/kernels");
  }

  void add_hatch(const std::string& root) {
    const auto* projects = folders_.list(root);
    if (projects == nullptr) return;
    for (const auto& project : projects->entries) {
      const auto* ids = folders_.list(root + "/" + project.name);
      if (ids == nullptr) continue;
      for (const auto& id : ids->entries) add_children(root + "/" + project.name + "/" + id.name, "hatch", root);
    }
  }

  void add_system() {
    for (const auto* bin : {"/usr/bin", "/usr/local/bin"}) {
      const auto* listing = folders_.list(bin);
      if (listing == nullptr) continue;
      for (const auto& entry : listing->entries) {
        const std::string_view name = entry.name;
        if (!name.starts_with("python3.") && !name.starts_with("python2.")) continue;
        const auto rest = name.substr(8);
        const bool plain = rest.find_first_not_of("0123456789") == std::string_view::npos || (rest.ends_with("t") && rest.find_first_not_of("0123456789t") == std::string_view::npos);
        if (plain && !rest.empty()) add_interpreter(join_path(bin, name), "system", bin);
      }
    }
  }

  void add_kernels(const std::string& folder) {
    const auto* listing = folders_.list(folder);
    if (listing == nullptr) return;
    for (const auto& entry : listing->entries) {
      const auto text = host_.read_file(folder + "/" + entry.name + "/kernel.json", 1 << 20);
      if (!text) continue;
      const auto spec = nlohmann::json::parse(*text, nullptr, false);
      if (!spec.is_object()) continue;
      const auto argv = spec.find("argv");
      if (argv == spec.end() || !argv->is_array() || argv->empty() || !argv->front().is_string()) continue;
      const auto interpreter = argv->front().get<std::string>();
      if (is_absolute(interpreter)) add_interpreter(interpreter, "", "kernelspec:" + entry.name);
    }
  }

  FolderCache& folders_;
  const Host& host_;
  const PythonSearch& search_;
  std::vector<PrefixCandidate> found_;
};

}  // namespace

std::vector<PrefixCandidate> find_prefixes(FolderCache& folders, const PythonSearch& search, std::vector<std::string>& not_found) {
  return Finder(folders, search).find(not_found);
}

void collect_python_environments(const Host& host, const PythonSearch& search, Snapshot& snapshot,
                                 std::vector<std::string>& not_found) {
  FolderCache folders(host);
  const auto candidates = find_prefixes(folders, search, not_found);
  // One environment may be found on several ways: by its prefix, links resolved, and its interpreter's real file.
  std::map<std::string, std::size_t> known;
  std::string active;
  for (const auto& candidate : candidates) {
    auto environment = read_python_prefix(folders, search, candidate);
    if (!environment) continue;
    const auto real = host.real_path(candidate.prefix);
    const auto key = (real ? *real : candidate.prefix) + "\n" + environment->version.value_or("");
    const bool by_shell = candidate.found_by == "VIRTUAL_ENV" || candidate.found_by == "CONDA_PREFIX" || candidate.found_by == "PATH";
    if (by_shell && active.empty()) active = key;
    if (const auto found = known.find(key); found != known.end()) {
      auto& ways = snapshot.environments[found->second].found_by;
      if (std::find(ways.begin(), ways.end(), candidate.found_by) == ways.end()) ways.push_back(candidate.found_by);
      if (key == active) snapshot.environments[found->second].active = true;
      continue;
    }
    known.emplace(key, snapshot.environments.size());
    environment->active = key == active;
    environment->id = "e" + std::to_string(snapshot.environments.size() + 1);
    snapshot.environments.push_back(std::move(*environment));
  }
}

}  // namespace gpuway
