#pragma once

#include "sense/probes/python_folders.h"
#include "sense/probes/python_interpreter.h"
#include "think/model/python_env.h"

namespace gpuway {

/// Fills search_path, pth_code and problems of `environment` as the interpreter would build sys.path for a script in
/// the current folder: the rules of CPython's getpath and site modules (3.6 to 3.14) and of Debian's and Fedora's
/// changes to them. Folders that do not exist are left out, except those of PYTHONPATH. A folder that would appear
/// twice stands at its first place only. At most 256 folders.
void build_search_path(FolderCache& folders, const Interpreter& interpreter, PythonEnvironment& environment);

}  // namespace gpuway
