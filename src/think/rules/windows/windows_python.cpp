#include "think/rules/windows/windows_python.h"

#include "base/path.h"
#include "base/text.h"

namespace gpuway {
namespace {

WindowsProcess process_of(const ChainBuilder& chain) {
  const auto& environment = chain.environment();
  WindowsProcess process;
  process.executable = environment.real_executable.value_or(join_path(environment.base_prefix, "python.exe"));
  process.current_folder = chain.snapshot().current_folder;
  if (const auto* path = chain.variable("PATH")) process.path = *path;
  process.packaged = environment.kind == "store";
  if (environment.kind == "conda") {
    // conda-forge's python.exe announces these at its start (python-feedstock, patch 0012); the last one is found first.
    for (const auto* folder : {"bin", "Scripts", "Library/bin", "Library/usr/bin", "Library/mingw-w64/bin"}) {
      process.dll_directories.push_back(join_path(environment.path, folder));
    }
  }
  return process;
}

bool at_least_3_8(const std::string& version) {
  const auto parts = split(version, '.');
  if (parts.size() < 2) return true;   // not known: today's Pythons
  const auto major = to_integer(parts[0]).value_or(3), minor = to_integer(parts[1]).value_or(99);
  return major > 3 || (major == 3 && minor >= 8);
}

}  // namespace

WindowsPython::WindowsPython(ChainBuilder& chain)
    : search_flags_(at_least_3_8(chain.environment().version.value_or(""))),
      loader_(chain.snapshot(), process_of(chain), chain.wants()),
      start_(loader_.start()) {}

DllOutcome WindowsPython::import_extension(const std::string& path) {
  return loader_.load(path, search_flags_ ? kSearchDefaultDirs | kSearchDllLoadDir : kAlteredSearchPath);
}

DllOutcome WindowsPython::open_by_ctypes(const std::string& name) {
  if (!search_flags_) return loader_.load(name, 0);
  return loader_.load(name, is_absolute(name) ? kSearchDefaultDirs | kSearchDllLoadDir : kSearchDefaultDirs);
}

}  // namespace gpuway
