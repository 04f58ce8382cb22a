#include "sense/probes/python_search_path.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "base/text.h"
#include "sense/probes/home_folder.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxSearchFolders = 256;
constexpr std::uint64_t kMaxPthFile = 4 << 20;

class SearchPathBuilder {
 public:
  SearchPathBuilder(FolderCache& folders, const Interpreter& interpreter, PythonEnvironment& environment)
      : folders_(folders),
        host_(folders.host()),
        interpreter_(interpreter),
        base_(interpreter.base),
        environment_(environment) {}

  void build() {
    add_script_folder();
    add_pythonpath();
    add_standard_library();
    const bool is_venv = interpreter_.config.has_value();
    // The venv's own packages come first, then the user's, then those of the base.
    if (is_venv) add_site_folders(interpreter_.prefix, "site");
    if (is_venv && !interpreter_.config->system_site_packages) return;
    add_user_site();
    if (!base_.prefix.empty()) add_site_folders(base_.prefix, "global-site");
  }

 private:
  const std::string* variable(const char* name) const {
    if (!host_.is_live()) return nullptr;
    const auto found = host_.environment().find(name);
    return found == host_.environment().end() || found->second.empty() ? nullptr : &found->second;
  }

  std::string absolute(std::string_view path) const {
    const auto own = base_.windows ? from_windows_path(path) : std::string(path);
    return collapse_path(is_absolute(own) ? own : join_path(host_.current_folder(), own));
  }

  void add(const std::string& path, const char* origin, bool exists) {
    if (!known_.insert(path).second) {
      // A program started inside a site folder: the folder is still the one of installed packages.
      auto& first = environment_.search_path.front();
      if (first.origin == "script" && first.path == path) first.origin = origin;
      return;
    }
    if (environment_.search_path.size() >= kMaxSearchFolders) {
      if (environment_.search_path.size() == kMaxSearchFolders && !full_) {
        environment_.problems.push_back("sys.path: too-large: more than " + std::to_string(kMaxSearchFolders) +
                                        " folders");
      }
      full_ = true;
      return;
    }
    environment_.search_path.push_back({path, origin, exists});
  }

  bool add_if_there(const std::string& path, const char* origin) {
    const auto& folder = folders_.look(path);
    if (!folder.listing && folder.fault.empty()) return false;
    add(path, origin, true);
    return true;
  }

  void add_script_folder() {
    const bool safe = variable("PYTHONSAFEPATH") != nullptr && (base_.name.major > 3 || base_.name.minor >= 11);
    const auto here = host_.current_folder();
    if (host_.is_live() && !safe && !here.empty()) add(here, "script", true);
  }

  void add_pythonpath() {
    const auto* extra = variable("PYTHONPATH");
    if (extra == nullptr) return;
    // An empty part means the current folder.
    for (const auto part : split(*extra, base_.windows ? ';' : ':')) {
      const auto path = absolute(part);
      if (!is_absolute(path)) continue;   // relative to a folder that is gone
      add(path, "pythonpath", folders_.exists(path));
    }
  }

  void add_standard_library() {
    if (base_.prefix.empty()) return;
    if (base_.windows) return add_windows_library();
    const auto zip = base_.prefix + "/" + base_.lib + "/python" + std::to_string(base_.name.major) +
                     std::to_string(base_.name.minor) + ".zip";
    if (folders_.is_file(zip)) add(zip, "stdlib", true);
    add_if_there(base_.stdlib(), "stdlib");
    add_if_there(base_.stdlib() + "/lib-dynload", "stdlib");
  }

  // The zip file, DLLs, Lib and the program's own folder (CPython, Modules/getpath.py).
  void add_windows_library() {
    const auto zip = base_.prefix + "/python" + std::to_string(base_.name.major) + std::to_string(base_.name.minor) + ".zip";
    if (folders_.is_file(zip)) add(zip, "stdlib", true);
    add_if_there(base_.prefix + "/DLLs", "stdlib");
    add_if_there(base_.stdlib(), "stdlib");
    add_if_there(base_.prefix, "stdlib");
  }

  // %APPDATA%\Python\Python311\site-packages; a 32-bit Python's has -32 behind the number.
  void add_windows_user_site() {
    const auto* base = variable("PYTHONUSERBASE");
    const auto* data = variable("APPDATA");
    if (variable("PYTHONNOUSERSITE") != nullptr || (base == nullptr && data == nullptr)) return;
    const auto root = base != nullptr ? from_windows_path(*base) : from_windows_path(*data) + "/Python";
    constexpr std::uint16_t x86 = 0x14c;
    const auto number = std::to_string(base_.name.major) + std::to_string(base_.name.minor) +
                        (interpreter_.machine.value_or(0) == x86 ? "-32" : "");
    add_site(absolute(root + "/Python" + number + "/site-packages"), "user-site");
  }

  void add_user_site() {
    if (base_.windows) return add_windows_user_site();
    const auto* base = variable("PYTHONUSERBASE");
    const auto home = base == nullptr ? home_folder(host_) : std::nullopt;
    if (variable("PYTHONNOUSERSITE") != nullptr || (base == nullptr && !home)) return;
    const auto root = base != nullptr ? *base : *home + "/.local";
    add_site(absolute(root + "/lib/" + base_.name.text() + "/site-packages"), "user-site");
  }

  void add_site_folders(const std::string& prefix, const char* origin) {
    if (base_.windows) {   // the prefix itself comes first (CPython, Lib/site.py)
      add_site(prefix, origin);
      add_site(prefix + "/Lib/site-packages", origin);
      return;
    }
    const auto name = base_.name.text();
    const bool is_venv = interpreter_.config.has_value();
    if (base_.debian_site) {
      if (is_venv) add_site(prefix + "/lib/" + name + "/site-packages", origin);
      add_site(prefix + "/local/lib/" + name + "/dist-packages", origin);
      add_site(prefix + "/lib/python3/dist-packages", origin);
      add_site(prefix + "/lib/" + name + "/dist-packages", origin);
      return;
    }
    // Fedora and its relatives look into /usr/local first, unless this is a virtual environment.
    if (base_.lib != "lib" && prefix == "/usr" && !is_venv) add_library_sites("/usr/local", origin);
    add_library_sites(prefix, origin);
  }

  void add_library_sites(const std::string& prefix, const char* origin) {
    const auto tail = "/" + base_.name.text() + "/site-packages";
    if (base_.lib == "lib") {
      add_site(prefix + "/lib" + tail, origin);
      return;
    }
    add_site(prefix + "/" + base_.lib + tail, origin);
    // In a virtual environment lib64 is a link to lib: the same packages once more.
    const auto first = host_.stat(prefix + "/" + base_.lib + tail, true),
               second = host_.stat(prefix + "/lib" + tail, true);
    if (!first || !second || first->id != second->id) add_site(prefix + "/lib" + tail, origin);
  }

  void add_site(const std::string& path, const char* origin) {
    if (!add_if_there(path, origin) || !sites_.insert(path).second) return;
    const auto* listing = folders_.list(path);
    if (listing == nullptr) return;
    const bool new_rules = base_.name.major > 3 || base_.name.minor >= 13;
    for (const auto& entry : listing->entries) {
      if (!entry.name.ends_with(".pth") || (new_rules && entry.name.starts_with('.'))) continue;
      read_pth(path, entry.name, new_rules);
    }
  }

  void read_pth(const std::string& site, const std::string& name, bool new_rules) {
    const auto path = join_path(site, name);
    const auto text = host_.read_file(path, kMaxPthFile);
    if (!text) {
      environment_.problems.push_back(path + ": " + text.error().text());
      return;
    }
    bool runs_code = false;
    for (const auto& line : parse_pth(*text, new_rules)) {
      if (line.code) {
        runs_code = true;
        continue;
      }
      if (line.text.find('\0') != std::string::npos) continue;
      const auto folder = collapse_path(join_path(site, line.text));
      if (!known_.contains(folder) && folders_.exists(folder)) add(folder, "pth", true);
    }
    if (runs_code) environment_.pth_code.push_back(path);
  }

  FolderCache& folders_;
  const Host& host_;
  const Interpreter& interpreter_;
  const BasePython& base_;
  PythonEnvironment& environment_;
  std::set<std::string> known_, sites_;
  bool full_ = false;
};

}  // namespace

void build_search_path(FolderCache& folders, const Interpreter& interpreter, PythonEnvironment& environment) {
  SearchPathBuilder(folders, interpreter, environment).build();
}

}  // namespace gpuway
