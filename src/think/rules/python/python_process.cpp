#include "think/rules/python/python_process.h"

#include <algorithm>

#include "base/path.h"

namespace gpuway {
namespace {

ProcessSetup setup_of(const ChainBuilder& chain) {
  ProcessSetup setup;
  const auto& environment = chain.environment();
  setup.executable = environment.real_executable.value_or(environment.executable);
  setup.current_folder = chain.snapshot().current_folder;
  if (const auto* path = chain.variable("LD_LIBRARY_PATH")) setup.library_path = *path;
  if (const auto* preload = chain.variable("LD_PRELOAD")) setup.preload = *preload;
  return setup;
}

}  // namespace

PythonProcess::PythonProcess(ChainBuilder& chain)
    : chain_(chain), loader_(chain.snapshot(), setup_of(chain), chain.wants()), start_(loader_.start()) {
  const auto& objects = loader_.objects();
  for (int i = 0; i < static_cast<int>(objects.size()); ++i) {
    if (file_name(objects[static_cast<std::size_t>(i)].path).starts_with("libpython")) importer_ = i;
  }
}

int PythonProcess::ctypes() {
  if (ctypes_ >= 0) return ctypes_;
  ctypes_ = importer_;
  for (const auto& folder : chain_.environment().search_path) {
    if (file_name(folder.path) != "lib-dynload") continue;
    const auto view = chain_.snapshot().folders.find(folder.path);
    if (view == chain_.snapshot().folders.end()) {
      chain_.wants().folders.emplace(folder.path, true);
      break;
    }
    const auto& names = view->second.names;
    const auto module = std::find_if(names.begin(), names.end(), [](const std::string& name) {
      return name.starts_with("_ctypes.") && name.ends_with(".so");
    });
    if (module == names.end()) break;
    const auto outcome = import_extension(join_path(folder.path, *module), false);
    if (outcome.state == LoadOutcome::State::loaded) ctypes_ = outcome.object;
    break;
  }
  return ctypes_;
}

LoadOutcome PythonProcess::import_extension(const std::string& path, bool global) {
  return loader_.open({.name = path, .caller = importer_, .global = global});
}

LoadOutcome PythonProcess::open_by_ctypes(const std::string& name, bool global) {
  return loader_.open({.name = name, .caller = ctypes(), .global = global});
}

}  // namespace gpuway
