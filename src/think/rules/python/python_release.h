#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "think/model/python_env.h"

namespace gpuway {

/// What decides which compiled modules an interpreter can load. `major` is 0 when nothing tells the version.
struct PythonRelease {
  int major = 0, minor = 0;
  bool free_threaded = false, is_pypy = false;
};
PythonRelease python_release(const PythonEnvironment& environment);

/// Whether one of a wheel's tags ("cp311-cp311-manylinux_2_17_x86_64") fits this Python. No tags fit everything; the
/// platform is left to the loader, which sees the files themselves.
bool tags_fit(const std::vector<std::string>& tags, const PythonRelease& python);

/// The file among `names` that answers `import <module>` as a compiled module of this Python.
std::optional<std::string> extension_among(const std::vector<std::string>& names, std::string_view module,
                                           const PythonRelease& python);

/// Whether a .pth file starts an editable install's import hook (setuptools, meson-python, scikit-build-core): what it
/// answers cannot be told from file names.
bool has_import_hook(const PythonEnvironment& environment);

}  // namespace gpuway
