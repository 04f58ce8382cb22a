#include "sense/probes/python_interpreter.h"

#include <algorithm>
#include <array>

#include "base/path.h"
#include "base/text.h"
#include "think/formats/python_records.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kMaxConfig = 65536;
constexpr int kMaxLinks = 40, kMaxLevels = 40;

Source file_source(std::string path) { return {Source::Kind::file, std::move(path)}; }

std::string short_version(const PythonName& name) {
  return std::to_string(name.major) + "." + std::to_string(name.minor);
}

// "3.11.7" and "3.12.1.final.0" (virtualenv) begin with the version that counts.
std::string release_of(std::string_view text) {
  const auto parts = split(trim(text), '.');
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 3); ++i)
    out += (i == 0 ? "" : ".") + std::string(parts[i]);
  return out;
}

bool is_release(std::string_view version, const PythonName& name) {
  const auto prefix = short_version(name) + ".";
  return version.starts_with(prefix) && version.size() > prefix.size() && version[prefix.size()] >= '0' &&
         version[prefix.size()] <= '9';
}

// The folder names of pyenv (3.12.1, 3.13.0t) and uv (cpython-3.12.1-linux-x86_64-gnu) hold the whole version.
std::optional<std::string> release_in_folder_name(std::string_view folder, const PythonName& name) {
  const auto wanted = short_version(name) + ".";
  const auto at = folder.find(wanted);
  if (at == std::string_view::npos || (at != 0 && folder[at - 1] != '-')) return std::nullopt;
  const auto rest = folder.substr(at);
  const auto end = rest.find_first_not_of("0123456789.", wanted.size());
  const auto release = rest.substr(0, end);
  if (!is_release(release, name) || release.ends_with('.')) return std::nullopt;
  return std::string(release);
}

struct Triplet {
  std::uint16_t machine;
  std::string_view text;
};
constexpr std::array<Triplet, 7> kTriplets = {{{62, "x86_64-linux-gnu"},
                                               {183, "aarch64-linux-gnu"},
                                               {3, "i386-linux-gnu"},
                                               {40, "arm-linux-gnueabihf"},
                                               {21, "powerpc64le-linux-gnu"},
                                               {22, "s390x-linux-gnu"},
                                               {243, "riscv64-linux-gnu"}}};

}  // namespace

std::string PythonName::text() const {
  return implementation + std::to_string(major) + "." + std::to_string(minor) + (free_threaded ? "t" : "");
}

std::optional<PythonName> parse_python_name(std::string_view text) {
  PythonName name;
  for (const auto* implementation : {"python", "pypy"}) {
    if (text.starts_with(implementation)) name.implementation = implementation;
  }
  if (name.implementation.empty()) return std::nullopt;
  auto rest = text.substr(name.implementation.size());
  if (rest.ends_with('t')) {
    name.free_threaded = true;
    rest.remove_suffix(1);
  }
  const auto dot = rest.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto major = to_integer(rest.substr(0, dot)), minor = to_integer(rest.substr(dot + 1));
  if (!major || !minor || *major < 2 || *major > 9 || *minor < 0 || *minor > 99 ||
      rest.size() != dot + 1 + std::to_string(*minor).size())
    return std::nullopt;
  name.major = static_cast<int>(*major);
  name.minor = static_cast<int>(*minor);
  return name;
}

std::optional<std::string> InterpreterReader::executable_in(const std::string& bin) {
  for (const auto* name : {"python", "python3"}) {
    if (folders_.find(bin, name) != nullptr) return join_path(bin, name);
  }
  const auto* listing = folders_.list(bin);
  if (listing == nullptr) return std::nullopt;
  for (const auto& entry : listing->entries) {
    if (parse_python_name(entry.name)) return join_path(bin, entry.name);
  }
  return std::nullopt;
}

// What CPython does at its start: links of the file itself are followed, those of its folders are not.
std::string InterpreterReader::resolve_file_link(const std::string& path) const {
  auto at = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    const auto target = host_.read_link(at);
    if (!target) return at;
    at = collapse_path(join_path(parent_path(at), *target));
  }
  return at;
}

std::optional<InterpreterPlace> InterpreterReader::locate(const PrefixCandidate& candidate) {
  InterpreterPlace place{candidate.prefix, candidate.executable, {}};
  if (place.executable.empty()) {
    const auto found = executable_in(join_path(place.prefix, "bin"));
    if (!found) return std::nullopt;
    place.executable = *found;
  }
  const auto real = host_.real_path(place.executable), real_prefix = host_.real_path(place.prefix);
  place.key = (real_prefix ? *real_prefix : place.prefix) + "\n" + (real ? *real : std::string());
  return place;
}

void InterpreterReader::read_config(Interpreter& interpreter, std::vector<std::string>& problems) {
  for (const auto& folder : {parent_path(interpreter.executable), parent_path(parent_path(interpreter.executable))}) {
    const auto path = join_path(folder, "pyvenv.cfg");
    const auto text = host_.read_file(path, kMaxConfig);
    if (text) {
      interpreter.config = parse_pyvenv_cfg(*text);
      interpreter.config_path = path;
      return;
    }
    if (text.error().code != ErrorCode::not_found) problems.push_back(path + ": " + text.error().text());
  }
}

std::optional<PythonName> InterpreterReader::name_in_libraries(const std::string& start) {
  auto folder = start;
  for (int level = 0; level < kMaxLevels && folder != "/" && folder != "."; ++level) {
    for (const auto* lib : {"/lib", "/lib64"}) {
      const auto path = folder + lib;
      const auto* listing = folders_.list(path);
      if (listing == nullptr) continue;
      for (const auto& entry : listing->entries) {
        const auto name = parse_python_name(entry.name);
        if (name && folders_.is_file(join_path(join_path(path, entry.name), "os.py"))) return name;
      }
    }
    folder = parent_path(folder);
  }
  return std::nullopt;
}

std::optional<PythonName> InterpreterReader::name_of(const Interpreter& interpreter, const std::string& real_bin) {
  if (interpreter.real_executable.is_known()) {
    if (const auto name = parse_python_name(file_name(*interpreter.real_executable))) return name;
  }
  if (interpreter.config) {
    const auto parts = split(interpreter.config->version, '.');
    if (parts.size() >= 2) {
      if (auto name = parse_python_name("python" + std::string(parts[0]) + "." + std::string(parts[1]))) return name;
    }
  }
  if (const auto name = name_in_libraries(real_bin)) return name;
  return name_in_libraries(interpreter.prefix);
}

// Only an interpreter of a distribution lives in /usr; its own site module says whether it is Debian's.
bool InterpreterReader::has_debian_site(const BasePython& base) const {
  if (base.prefix != "/usr") return false;
  const auto site = host_.read_file(base.stdlib() + "/site.py", 1 << 20);
  return site && site->find("\"dist-packages\"") != std::string::npos;
}

// PYTHONHOME names the prefix of the standard library; since 3.11 the site module is frozen into the interpreter, so that
// the interpreter's own one still decides where packages are.
std::optional<BasePython> InterpreterReader::base_by_variable(const std::string& real_bin, const PythonName& name,
                                                              std::vector<std::string>& problems) {
  const auto home = host_.environment().find("PYTHONHOME");
  if (!host_.is_live() || home == host_.environment().end() || home->second.empty()) return std::nullopt;
  const auto prefix = clean_path(split(home->second, ':').front());
  for (const auto* lib : {"lib", "lib64"}) {
    BasePython tried{prefix, lib, name, false, {}};
    if (!folders_.is_file(tried.stdlib() + "/os.py")) continue;
    const auto own = name.minor >= 11 ? find_base(real_bin, name) : std::nullopt;
    tried.debian_site = own ? own->debian_site : has_debian_site(tried);
    return tried;
  }
  problems.push_back("PYTHONHOME: not-found: " + prefix + "/lib/" + name.text() +
                     " has no standard library, so this Python cannot start");
  return std::nullopt;
}

std::optional<BasePython> InterpreterReader::find_base(const std::string& start, const PythonName& name) {
  const auto key = start + "\n" + name.text();
  if (const auto known = bases_.find(key); known != bases_.end()) return known->second;
  std::vector<PythonName> names = {name};
  if (!name.free_threaded && name.implementation == "python" && name.major == 3 && name.minor >= 13) {
    names.push_back(name);
    names.back().free_threaded = true;  // its bin/python3.13 may be the one without the GIL
  }
  std::optional<BasePython> base;
  // CPython goes up to the root without looking into the root itself; /bin is a link to /usr/bin where it holds Python.
  auto folder = start == "/bin" ? std::string("/usr") : start;
  for (int level = 0; level < kMaxLevels && !base && folder != "/" && folder != "."; ++level) {
    for (const auto& one : names) {
      for (const auto* lib : {"lib", "lib64"}) {
        const BasePython tried{folder, lib, one, false, {}};
        if (!base && folders_.is_file(tried.stdlib() + "/os.py")) base = tried;
      }
    }
    folder = parent_path(folder);
  }
  if (base) base->debian_site = has_debian_site(*base);
  bases_.emplace(key, base);
  return base;
}

std::optional<Fact<std::string>> InterpreterReader::version_in_files(const BasePython& base) {
  const auto key = base.stdlib();
  if (const auto known = versions_.find(key); known != versions_.end()) return known->second;
  std::optional<Fact<std::string>> version;
  const auto header = base.prefix + "/include/" + base.name.text() + "/patchlevel.h";
  if (const auto text = host_.read_file(header, kMaxConfig)) {
    const auto at = text->find("#define PY_VERSION ");
    const auto open = at == std::string::npos ? at : text->find('"', at);
    const auto close = open == std::string::npos ? open : text->find('"', open + 1);
    if (close != std::string::npos)
      version = Fact<std::string>::known(text->substr(open + 1, close - open - 1), file_source(header));
  }
  if (!version) {
    if (const auto* records = folders_.list(base.prefix + "/conda-meta")) {
      for (const auto& entry : records->entries) {
        const auto record = entry.name.starts_with("python-") ? parse_conda_file_name(entry.name) : std::nullopt;
        if (!record || record->name != "python" || !is_release(record->version, base.name)) continue;
        version = Fact<std::string>::known(record->version, file_source(base.prefix + "/conda-meta/" + entry.name));
      }
    }
  }
  if (!version) {
    const auto release = release_in_folder_name(file_name(base.prefix), base.name);
    if (release) version = Fact<std::string>::known(*release, {Source::Kind::folder, base.prefix});
  }
  versions_.emplace(key, version);
  return version;
}

void InterpreterReader::read_version(Interpreter& interpreter) {
  if (!interpreter.base.prefix.empty()) {
    if (auto version = version_in_files(interpreter.base)) {
      interpreter.version = std::move(*version);
      return;
    }
  }
  const auto& name = interpreter.base.name;
  if (interpreter.config) {
    const auto release = release_of(interpreter.config->version);
    if (is_release(release, name)) {
      interpreter.version = Fact<std::string>::known(release, file_source(interpreter.config_path));
      return;
    }
  }
  interpreter.version = Fact<std::string>::known(short_version(name), file_source(interpreter.executable));
}

Fact<std::uint16_t> InterpreterReader::machine_of(const std::string& real_executable) {
  if (const auto known = machines_.find(real_executable); known != machines_.end()) return known->second;
  const auto source = file_source(real_executable + "@18");
  const auto read = [&]() -> Fact<std::uint16_t> {
    const auto file = host_.open_file(real_executable);
    if (!file) return Fact<std::uint16_t>::from_error(file.error(), source);
    const auto bytes = (*file)->read_exactly(0, 20);
    if (!bytes) return Fact<std::uint16_t>::undetermined(bytes.error().code, bytes.error().detail, source);
    const ByteView view{std::span(*bytes)};
    if (view.number<std::uint32_t>(0) != 0x464C457FU)
      return Fact<std::uint16_t>::undetermined(ErrorCode::malformed, "no ELF file", source);
    auto machine = *view.number<std::uint16_t>(18);
    if (view.number<std::uint8_t>(5) == 2)
      machine = static_cast<std::uint16_t>((machine << 8) | (machine >> 8));  // big endian
    return Fact<std::uint16_t>::known(machine, source);
  };
  return machines_.emplace(real_executable, read()).first->second;
}

std::vector<std::string> InterpreterReader::suffixes_of(const BasePython& base, const Fact<std::uint16_t>& machine) {
  const auto& name = base.name;
  // The interpreter's own extension modules carry its exact tag, debug letters and C library included.
  const auto tag = ".cpython-" + std::to_string(name.major) + std::to_string(name.minor);
  if (const auto* modules = folders_.list(base.stdlib() + "/lib-dynload")) {
    for (const auto& entry : modules->entries) {
      const auto at = entry.name.find(tag);
      if (at == std::string::npos || !entry.name.ends_with(".so")) continue;
      auto suffixes = extension_suffixes(name.major, name.minor, name.free_threaded, {});
      suffixes.front() = entry.name.substr(at);
      return suffixes;
    }
  }
  const auto found = std::find_if(kTriplets.begin(), kTriplets.end(),
                                  [&](const Triplet& one) { return machine.is_known() && one.machine == *machine; });
  return extension_suffixes(name.major, name.minor, name.free_threaded,
                            found == kTriplets.end() ? "x86_64-linux-gnu" : found->text);
}

std::optional<Interpreter> InterpreterReader::read(const PrefixCandidate& candidate, const InterpreterPlace& place,
                                                   std::vector<std::string>& problems) {
  Interpreter interpreter;
  interpreter.prefix = place.prefix;
  interpreter.executable = place.executable;
  auto real = host_.real_path(place.executable);
  const auto source = file_source(place.executable);
  // A dangling link is an environment whose base Python is gone: it still has its packages.
  interpreter.real_executable =
      real ? Fact<std::string>::known(real.take(), source) : Fact<std::string>::from_error(real.error(), source);
  read_config(interpreter, problems);
  const auto final_file = resolve_file_link(place.executable);
  const auto real_bin = parent_path(final_file);
  if (interpreter.config) interpreter.prefix = parent_path(parent_path(place.executable));

  const auto name = name_of(interpreter, real_bin);
  std::optional<BasePython> base;
  if (name) {
    base = base_by_variable(real_bin, *name, problems);
    // Since 3.11 pyvenv.cfg decides where the base is; before, the file that the links lead to, and pyvenv.cfg only
    // beside that file (a venv made with copies).
    const bool is_copy = real_bin == parent_path(place.executable);
    const bool by_config = interpreter.config && !interpreter.config->home.empty() &&
                           (name->minor >= 11 || is_copy || !interpreter.real_executable.is_known());
    if (!base && by_config) base = find_base(clean_path(interpreter.config->home), *name);
    if (!base) base = find_base(real_bin, *name);
  }
  const bool sure_place = interpreter.config || candidate.found_by == "argument" ||
                          folders_.list(join_path(place.prefix, "conda-meta")) != nullptr;
  if (!base && !sure_place) return std::nullopt;
  if (base) {
    interpreter.base = *base;
    if (!interpreter.config) interpreter.prefix = base->prefix;
  } else {
    if (name) interpreter.base.name = *name;
    interpreter.base.lib = "lib";
    if (interpreter.real_executable.is_known())
      problems.push_back(place.executable + ": not-found: no standard library of its Python");
  }
  if (interpreter.real_executable.is_known()) interpreter.machine = machine_of(*interpreter.real_executable);
  if (!name) {
    interpreter.version = Fact<std::string>::undetermined(ErrorCode::not_found, "no file tells the version", source);
    return interpreter;
  }
  interpreter.base.extension_suffixes = suffixes_of(interpreter.base, interpreter.machine);
  read_version(interpreter);
  const auto& written = interpreter.config ? interpreter.config->version : std::string();
  if (!written.empty() && !written.starts_with(short_version(*name) + ".") && written != short_version(*name)) {
    problems.push_back(interpreter.config_path + ": malformed: made for Python " + written +
                       ", but its interpreter is " + name->text() +
                       ", which does not see the packages of the other version");
  }
  return interpreter;
}

}  // namespace gpuway
