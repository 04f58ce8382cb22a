#include "sense/probes/python_prefix.h"

#include "base/path.h"
#include "sense/probes/python_search_path.h"
#include "sense/probes/windows/windows_interpreter.h"

namespace gpuway {

// Who made it matters more than what it is: a conda or Poetry environment is also a plain prefix or a venv. The order
// is that of the VS Code locator: pyenv, pixi, conda, uv, Poetry, Pipenv, Hatch, venv, virtualenv, system.
std::string EnvironmentReader::kind_of(const PrefixCandidate& candidate, const Interpreter& interpreter) {
  const auto& prefix = interpreter.prefix;
  if (folders_.list(join_path(prefix, "conda-meta")) != nullptr) {
    return folders_.find(join_path(prefix, "conda-meta"), "pixi") != nullptr ? "pixi" : "conda";
  }
  if (interpreter.config) {
    // A hint of the place holds only if a venv can be of that kind.
    if (candidate.kind == "pipx" || candidate.kind == "poetry" || candidate.kind == "hatch") return candidate.kind;
    if (candidate.kind == "pipenv" && folders_.is_file(join_path(prefix, ".project"))) return candidate.kind;
    return interpreter.config->creator;
  }
  if (prefix == "/usr" || prefix == "/usr/local") return "system";
  if (prefix.find("/WindowsApps/") != std::string::npos) return "store";
  if (candidate.kind == "system") return candidate.kind;
  if (candidate.kind == "pyenv" || candidate.kind == "uv") return candidate.kind;
  const auto folder = parent_path(prefix);
  if (file_name(folder) == "versions" && folder.find("pyenv") != std::string::npos) return "pyenv";
  if (folder.ends_with("/uv/python")) return "uv";
  return "prefix";
}

std::optional<InterpreterPlace> EnvironmentReader::locate(const PrefixCandidate& candidate) {
  return folders_.host().is_windows() ? locate_windows_python(folders_, candidate) : interpreters_.locate(candidate);
}

std::optional<PythonEnvironment> EnvironmentReader::read(const PrefixCandidate& candidate,
                                                         const InterpreterPlace& place) {
  PythonEnvironment environment;
  auto interpreter = folders_.host().is_windows() ? read_windows_python(folders_, candidate, place, environment.problems)
                                                  : interpreters_.read(candidate, place, environment.problems);
  if (!interpreter) return std::nullopt;
  const auto& base = interpreter->base;
  environment.path = interpreter->prefix;
  environment.kind = kind_of(candidate, *interpreter);
  environment.executable = interpreter->executable;
  environment.real_executable = interpreter->real_executable;
  environment.version = interpreter->version;
  environment.implementation = base.name.implementation == "pypy" ? "pypy" : "cpython";
  environment.free_threaded = base.name.free_threaded;
  environment.machine = interpreter->machine;
  environment.base_prefix = environment.path;
  if (interpreter->config) {
    const auto& home = interpreter->config->home;
    environment.base_prefix = !base.prefix.empty() ? base.prefix : base.windows ? home : parent_path(home);
    environment.system_site_packages = interpreter->config->system_site_packages;
  }
  // Without a version no folder of packages can be named.
  if (base.name.major != 0) {
    const auto stdlib = base.stdlib();
    // PEP 668: the file binds what is no virtual environment.
    environment.externally_managed = !interpreter->config && folders_.is_file(stdlib + "/EXTERNALLY-MANAGED");
    if (folders_.is_folder(stdlib)) {
      environment.ensurepip = Fact<bool>::known(folders_.is_folder(stdlib + "/ensurepip"), {Source::Kind::folder, stdlib + "/ensurepip"});
    }
    build_search_path(folders_, *interpreter, environment);
    contents_.read(base, environment);
  } else {
    environment.problems.push_back(environment.path + ": not-found: no file tells the version of this Python");
  }
  return environment;
}

}  // namespace gpuway
