#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sense/probes/python_interpreter.h"

namespace gpuway {

/// Where a candidate's interpreter is on a Windows machine: python.exe in the prefix, or in Scripts of a virtual environment.
std::optional<InterpreterPlace> locate_windows_python(FolderCache& folders, const PrefixCandidate& candidate);

/// What is known of it without starting it: pyvenv.cfg, the python3XX.dll beside it or beside the Python that it was made
/// from. Nothing when there is a python.exe without either.
std::optional<Interpreter> read_windows_python(FolderCache& folders, const PrefixCandidate& candidate, const InterpreterPlace& place,
                                               std::vector<std::string>& problems);

}  // namespace gpuway
