#include "sense/probes/python_prefix.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/path.h"
#include "base/text.h"
#include "think/formats/python_files.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxEntries = 100'000;
constexpr std::uint64_t kMaxText = 4 << 20;
constexpr std::size_t kMaxPthLines = 1000, kMaxSearchFolders = 256;

Source file_source(std::string path) { return {Source::Kind::file, std::move(path)}; }

struct Version {
  int major = 0, minor = 0;
  std::string text;   // as full as known
};

std::optional<Version> parse_version(std::string_view text) {
  const auto parts = split(trim(text), '.');
  if (parts.size() < 2) return std::nullopt;
  const auto major = to_integer(parts[0]);
  auto minor_text = parts[1];
  const auto end = minor_text.find_first_not_of("0123456789");
  const auto minor = to_integer(minor_text.substr(0, end));
  if (!major || !minor || *major < 2 || *major > 9 || *minor < 0 || *minor > 99) return std::nullopt;
  return Version{static_cast<int>(*major), static_cast<int>(*minor), std::string(trim(text))};
}

std::optional<Version> version_in_name(std::string_view name) {
  if (!name.starts_with("python")) return std::nullopt;
  auto rest = name.substr(6);
  if (!rest.empty() && rest.back() == 't') rest.remove_suffix(1);
  return parse_version(rest);
}

class PrefixReader {
 public:
  PrefixReader(FolderCache& folders, const PythonSearch& search, const PrefixCandidate& candidate)
      : folders_(folders), host_(folders.host()), search_(search), candidate_(candidate) {}

  std::optional<PythonEnvironment> read() {
    env_.path = candidate_.prefix;
    env_.kind = candidate_.kind;
    if (!candidate_.found_by.empty()) env_.found_by.push_back(candidate_.found_by);
    if (!find_executable()) return std::nullopt;
    read_config();
    read_conda();
    if (!find_version()) {
      env_.problems.push_back(env_.path + ": not-found: no version of Python could be told from its files");
      env_.version = Fact<std::string>::undetermined(ErrorCode::not_found, "no version file", file_source(env_.path));
    }
    read_machine();
    if (env_.kind.empty()) env_.kind = is_venv_ ? "venv" : env_.path == "/usr" || env_.path == "/usr/local" ? "system" : "prefix";
    if (version_.major == 0) return std::move(env_);
    build_search_path();
    read_folders();
    return std::move(env_);
  }

 private:
  void problem(const std::string& path, const Error& error) { env_.problems.push_back(path + ": " + error.text()); }

  bool find_executable() {
    if (!candidate_.executable.empty()) {
      env_.executable = candidate_.executable;
    } else {
      const auto bin = join_path(env_.path, "bin");
      const auto* listing = folders_.list(bin);
      if (listing == nullptr) return false;
      const auto has = [&](std::string_view name) {
        return std::any_of(listing->entries.begin(), listing->entries.end(), [&](const FolderEntry& e) { return e.name == name; });
      };
      if (has("python")) {
        env_.executable = join_path(bin, "python");
      } else if (has("python3")) {
        env_.executable = join_path(bin, "python3");
      } else {
        for (const auto& entry : listing->entries) {
          if (version_in_name(entry.name)) env_.executable = join_path(bin, entry.name);
        }
      }
      if (env_.executable.empty()) return false;
    }
    auto real = host_.real_path(env_.executable);
    const auto source = file_source(env_.executable);
    // A dangling link is an environment whose base Python is gone: it still has its packages.
    env_.real_executable = real ? Fact<std::string>::known(real.take(), source) : Fact<std::string>::from_error(real.error(), source);
    return true;
  }

  void read_config() {
    const auto path = join_path(env_.path, "pyvenv.cfg");
    env_.base_prefix = env_.path;
    const auto text = host_.read_file(path, 65536);
    if (!text) {
      if (text.error().code != ErrorCode::not_found) problem(path, text.error());
      return;
    }
    is_venv_ = true;
    const auto config = parse_pyvenv_cfg(*text);
    env_.system_site_packages = config.system_site_packages;
    if (!config.home.empty()) env_.base_prefix = parent_path(config.home);
    if (env_.real_executable.is_known()) {
      // The interpreter finds its own prefix from where it really lies.
      const auto real_bin = parent_path(*env_.real_executable);
      if (file_name(real_bin) == "bin") env_.base_prefix = parent_path(real_bin);
    }
    if (auto version = parse_version(config.version)) {
      version_ = *version;
      env_.version = Fact<std::string>::known(version->text, file_source(path));
    }
    if (env_.kind.empty()) env_.kind = config.creator;
  }

  void read_conda() {
    const auto folder = join_path(env_.path, "conda-meta");
    const auto* listing = folders_.list(folder);
    if (listing == nullptr) return;
    if (env_.kind.empty() || env_.kind == "prefix") {
      env_.kind = std::any_of(listing->entries.begin(), listing->entries.end(), [](const FolderEntry& e) { return e.name == "pixi"; }) ? "pixi" : "conda";
    }
    for (const auto& entry : listing->entries) {
      if (!entry.name.ends_with(".json")) continue;
      // name-version-build.json: the name may hold '-', version and build do not.
      const auto stem = std::string_view(entry.name).substr(0, entry.name.size() - 5);
      const auto last = stem.rfind('-');
      if (last == std::string_view::npos || last == 0) continue;
      const auto middle = stem.rfind('-', last - 1);
      if (middle == std::string_view::npos) continue;
      PythonPackage package;
      package.name = normalized_name(stem.substr(0, middle));
      package.version = stem.substr(middle + 1, last - middle - 1);
      package.conda_build = stem.substr(last + 1);
      package.location = join_path(folder, entry.name);
      package.installer = "conda";
      if (package.name == "python" && version_.major == 0) {
        if (const auto version = parse_version(package.version)) {
          version_ = *version;
          env_.version = Fact<std::string>::known(version->text, file_source(package.location));
        }
      }
      if (search_.distributions.contains(package.name)) read_conda_record(package);
      conda_.push_back(std::move(package));
    }
  }

  void read_conda_record(PythonPackage& package) {
    const auto text = host_.read_file(package.location, 16 << 20);
    if (!text) return problem(package.location, text.error());
    const auto record = nlohmann::json::parse(*text, nullptr, false);
    if (!record.is_object()) {
      env_.problems.push_back(package.location + ": malformed: no JSON object");
      return;
    }
    if (const auto channel = record.find("channel"); channel != record.end() && channel->is_string()) package.conda_channel = channel->get<std::string>();
  }

  bool find_version() {
    if (version_.major == 0 && env_.real_executable.is_known()) {
      if (const auto version = version_in_name(file_name(*env_.real_executable))) version_ = *version;
    }
    if (version_.major == 0) {
      const auto lib = join_path(env_.path, "lib");
      if (const auto* listing = folders_.list(lib)) {
        for (const auto& entry : listing->entries) {
          if (const auto version = version_in_name(entry.name)) version_ = *version;
        }
      }
    }
    if (version_.major == 0) return false;
    env_.free_threaded = env_.real_executable.is_known() && file_name(*env_.real_executable).ends_with("t");
    if (env_.version.is_known() && split(*env_.version, '.').size() >= 3) return true;
    const auto short_name = std::to_string(version_.major) + "." + std::to_string(version_.minor);
    for (const auto& prefix : {env_.base_prefix, env_.path}) {
      const auto path = prefix + "/include/python" + short_name + (env_.free_threaded ? "t" : "") + "/patchlevel.h";
      const auto text = host_.read_file(path, 65536);
      if (!text) continue;
      const auto at = text->find("#define PY_VERSION ");
      const auto open = at == std::string::npos ? at : text->find('"', at);
      const auto close = open == std::string::npos ? open : text->find('"', open + 1);
      if (close == std::string::npos) continue;
      env_.version = Fact<std::string>::known(text->substr(open + 1, close - open - 1), file_source(path));
      return true;
    }
    if (!env_.version.is_known()) env_.version = Fact<std::string>::known(short_name, file_source(env_.executable));
    return true;
  }

  void read_machine() {
    const auto source = file_source(env_.executable);
    if (!env_.real_executable.is_known()) return;
    const auto file = host_.open_file(*env_.real_executable);
    if (!file) {
      env_.machine = Fact<std::uint16_t>::from_error(file.error(), source);
      return;
    }
    const auto bytes = (*file)->read_exactly(0, 20);
    if (!bytes) {
      env_.machine = Fact<std::uint16_t>::undetermined(ErrorCode::malformed, "shorter than an ELF header", source);
      return;
    }
    const ByteView view(*bytes);
    if (*view.number<std::uint32_t>(0) != 0x464C457F) {
      env_.machine = Fact<std::uint16_t>::undetermined(ErrorCode::unsupported, "no ELF program (a script that starts another?)", source);
      return;
    }
    env_.machine = Fact<std::uint16_t>::known(*view.number<std::uint16_t>(18), source);
  }

  const std::string* variable(const char* name) const {
    const auto& variables = host_.environment();
    const auto found = variables.find(name);
    return found == variables.end() || found->second.empty() ? nullptr : &found->second;
  }

  void add_folder(std::string path, const char* origin) {
    if (env_.search_path.size() >= kMaxSearchFolders) return;
    for (const auto& known : env_.search_path) {
      if (known.path == path) return;   // site.py adds no folder twice
    }
    const bool exists = folders_.is_folder(path);
    if (!exists && std::string_view(origin) != "pythonpath") return;
    env_.search_path.push_back({std::move(path), origin, exists});
  }

  void add_site(const std::string& folder, const char* origin) {
    const auto before = env_.search_path.size();
    add_folder(folder, origin);
    if (env_.search_path.size() == before) return;
    std::string fault;
    const auto* listing = folders_.list(folder, &fault);
    if (!fault.empty()) env_.problems.push_back(fault);
    if (listing == nullptr) return;
    for (const auto& entry : listing->entries) {
      if (!entry.name.ends_with(".pth")) continue;
      if (entry.name.starts_with('.') && version_.major == 3 && version_.minor >= 13) continue;
      const auto path = join_path(folder, entry.name);
      const auto text = host_.read_file(path, kMaxText);
      if (!text) {
        problem(path, text.error());
        continue;
      }
      std::size_t count = 0;
      for (const auto& line : parse_pth(*text, version_.minor >= 13)) {
        if (++count > kMaxPthLines) break;
        if (line.code) {
          if (env_.pth_code.empty() || env_.pth_code.back() != path) env_.pth_code.push_back(path);
        } else if (folders_.exists(join_path(folder, line.text))) {
          add_folder(collapse_path(join_path(folder, line.text)), "pth");
        }
      }
    }
  }

  void build_search_path() {
    const auto name = "python" + std::to_string(version_.major) + "." + std::to_string(version_.minor) + (env_.free_threaded ? "t" : "");
    if (host_.is_live() && variable("PYTHONSAFEPATH") == nullptr) add_folder(host_.current_folder(), "script");
    if (const auto* extra = variable("PYTHONPATH")) {
      for (const auto part : split(*extra, ':')) {
        add_folder(part.empty() ? host_.current_folder() : is_absolute(part) ? std::string(part) : join_path(host_.current_folder(), part), "pythonpath");
      }
    }
    std::string stdlib = env_.base_prefix + "/lib/" + name;
    if (!folders_.is_folder(stdlib) && folders_.is_folder(env_.base_prefix + "/lib64/" + name)) stdlib = env_.base_prefix + "/lib64/" + name;
    add_folder(stdlib, "stdlib");
    add_folder(stdlib + "/lib-dynload", "stdlib");
    if (is_venv_) {
      add_site(env_.path + "/lib/" + name + "/site-packages", "site");
      if (!same_folder(env_.path + "/lib", env_.path + "/lib64")) add_site(env_.path + "/lib64/" + name + "/site-packages", "site");
    }
    if (is_venv_ && !env_.system_site_packages) return;
    const auto* home = variable("HOME");
    const auto* base = variable("PYTHONUSERBASE");
    if (host_.is_live() && variable("PYTHONNOUSERSITE") == nullptr && (home != nullptr || base != nullptr)) {
      const auto root = base != nullptr ? *base : *home + "/.local";
      add_site(root + "/lib/" + name + "/site-packages", "user-site");
    }
    const auto& prefix = env_.base_prefix;
    if (prefix == "/usr" && folders_.is_folder("/usr/lib/python3/dist-packages")) {   // Debian's own layout
      add_site("/usr/local/lib/" + name + "/dist-packages", "global-site");
      add_site("/usr/lib/python3/dist-packages", "global-site");
      add_site("/usr/lib/" + name + "/dist-packages", "global-site");
      return;
    }
    if (prefix == "/usr") {   // Fedora and its relatives look into /usr/local first
      add_site("/usr/local/lib64/" + name + "/site-packages", "global-site");
      add_site("/usr/local/lib/" + name + "/site-packages", "global-site");
    }
    if (!same_folder(prefix + "/lib", prefix + "/lib64")) add_site(prefix + "/lib64/" + name + "/site-packages", "global-site");
    add_site(prefix + "/lib/" + name + "/site-packages", is_venv_ ? "global-site" : "global-site");
  }

  bool same_folder(const std::string& a, const std::string& b) const {
    const auto first = host_.stat(a, true), second = host_.stat(b, true);
    return !second || (first && first->id == second->id);
  }

  void read_folders() {
    int index = 0;
    for (const auto& folder : env_.search_path) {
      if (folder.exists) {
        std::string fault;
        const auto* listing = folders_.list(folder.path, &fault);
        if (!fault.empty() && std::find(env_.problems.begin(), env_.problems.end(), fault) == env_.problems.end()) env_.problems.push_back(fault);
        if (listing != nullptr) {
          if (folder.origin != "stdlib" && folder.origin != "script") read_packages(folder, *listing);
          read_imports(folder, index, *listing);
        }
      }
      ++index;
    }
    merge_conda();
  }

  void read_packages(const SearchFolder& folder, const FolderListing& listing) {
    for (const auto& entry : listing.entries) {
      if (entry.name.starts_with('~')) env_.leftovers.push_back(join_path(folder.path, entry.name));
      if (entry.name == "sitecustomize.py" || entry.name == "usercustomize.py") env_.customizers.push_back(join_path(folder.path, entry.name));
      const auto name = parse_distribution_folder(entry.name);
      if (!name) continue;
      PythonPackage package;
      package.name = name->name;
      package.version = name->version;
      package.location = join_path(folder.path, entry.name);
      package.site = folder.path;
      if (search_.distributions.contains(package.name) || package.name.starts_with("nvidia-") || package.version.empty()) read_metadata(package, entry);
      env_.packages.push_back(std::move(package));
    }
  }

  void read_metadata(PythonPackage& package, const FolderEntry& entry) {
    const bool wheel = entry.name.ends_with(".dist-info");
    const auto path = wheel ? package.location + "/METADATA" : entry.kind == FileKind::regular ? package.location : package.location + "/PKG-INFO";
    const auto text = host_.read_file(path, kMaxText);
    if (!text) {
      problem(path, text.error());
      return;
    }
    package.metadata_read = true;
    for (auto& [field, value] : parse_headers(*text)) {
      if (field == "name") package.name = normalized_name(value);
      if (field == "version") package.version = value;
      if (field == "requires-dist") package.requires_dist.push_back(std::move(value));
      if (field == "requires-python") package.requires_python = value;
      if (field == "provides-extra") package.extras.push_back(std::move(value));
    }
    if (!wheel) return;
    if (const auto installer = host_.read_file(package.location + "/INSTALLER", 256)) package.installer = trim(*installer);
    if (const auto tags = host_.read_file(package.location + "/WHEEL", 65536)) {
      for (auto& [field, value] : parse_headers(*tags)) {
        if (field == "tag") package.wheel_tags.push_back(std::move(value));
      }
    }
    if (const auto origin = host_.read_file(package.location + "/direct_url.json", 65536)) {
      const auto record = nlohmann::json::parse(*origin, nullptr, false);
      if (record.is_object()) {
        if (const auto url = record.find("url"); url != record.end() && url->is_string()) package.direct_url = url->get<std::string>();
        if (const auto dir = record.find("dir_info"); dir != record.end() && dir->is_object()) package.editable = dir->value("editable", false);
      }
    }
  }

  void merge_conda() {
    for (auto& record : conda_) {
      const auto same = std::find_if(env_.packages.begin(), env_.packages.end(), [&](const PythonPackage& package) { return package.name == record.name && package.version == record.version; });
      if (same != env_.packages.end()) {
        same->conda_build = record.conda_build;
        same->conda_channel = record.conda_channel;
      } else {
        env_.packages.push_back(std::move(record));
      }
    }
  }

  void read_imports(const SearchFolder& folder, int index, const FolderListing& listing) {
    // FileFinder's order within one folder: package, extension module, source, bytecode; a plain folder last.
    std::map<std::string, ImportCandidate> best;
    std::map<std::string, int> rank;
    const auto offer = [&](const std::string& module, std::string path, ImportCandidate::Kind kind, int value) {
      const auto known = rank.find(module);
      if (known != rank.end() && known->second <= value) return;
      rank[module] = value;
      best[module] = {module, std::move(path), kind, index};
    };
    for (const auto& entry : listing.entries) {
      const std::string_view name = entry.name;
      const auto path = join_path(folder.path, name);
      if (search_.modules.contains(entry.name) && (entry.kind == FileKind::folder || entry.kind == FileKind::link || entry.kind == FileKind::other)) {
        if (folders_.is_file(path + "/__init__.py")) {
          offer(entry.name, path + "/__init__.py", ImportCandidate::Kind::package, 0);
        } else if (folders_.is_folder(path)) {
          offer(entry.name, path, ImportCandidate::Kind::namespace_folder, 9);
        }
        continue;
      }
      if (name.ends_with(".py") && search_.modules.contains(std::string(name.substr(0, name.size() - 3)))) {
        offer(std::string(name.substr(0, name.size() - 3)), path, ImportCandidate::Kind::file, 2);
      } else if (name.ends_with(".so")) {
        const auto module = extension_module(name, version_.major, version_.minor, env_.free_threaded);
        if (module && search_.modules.contains(*module)) offer(*module, path, ImportCandidate::Kind::extension, 1);
      }
    }
    for (auto& [module, candidate] : best) env_.imports.push_back(std::move(candidate));
  }

  FolderCache& folders_;
  const Host& host_;
  const PythonSearch& search_;
  const PrefixCandidate& candidate_;
  PythonEnvironment env_;
  Version version_;
  bool is_venv_ = false;
  std::vector<PythonPackage> conda_;
};

}  // namespace

const FolderListing* FolderCache::list(const std::string& path, std::string* problem) {
  auto found = known_.find(path);
  if (found == known_.end()) {
    auto listing = host_.list_folder(path, kMaxEntries);
    std::optional<FolderListing> value;
    if (listing) {
      if (!listing->complete && problem != nullptr) *problem = path + ": too-large: more than " + std::to_string(kMaxEntries) + " entries, the rest was not looked at";
      value = listing.take();
    } else if (listing.error().code != ErrorCode::not_found && problem != nullptr) {
      *problem = path + ": " + listing.error().text();
    }
    found = known_.emplace(path, std::move(value)).first;
  }
  return found->second ? &*found->second : nullptr;
}

bool FolderCache::is_folder(const std::string& path) const {
  const auto stat = host_.stat(path, true);
  return stat && stat->kind == FileKind::folder;
}

bool FolderCache::is_file(const std::string& path) const {
  const auto stat = host_.stat(path, true);
  return stat && stat->kind == FileKind::regular;
}

std::optional<PythonEnvironment> read_python_prefix(FolderCache& folders, const PythonSearch& search,
                                                    const PrefixCandidate& candidate) {
  return PrefixReader(folders, search, candidate).read();
}

}  // namespace gpuway
