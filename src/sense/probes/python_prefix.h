#pragma once

#include <optional>

#include "sense/probes/python_contents.h"
#include "sense/probes/python_environments.h"
#include "sense/probes/python_folders.h"
#include "sense/probes/python_interpreter.h"

namespace gpuway {

/// Turns places into environments.
class EnvironmentReader {
 public:
  EnvironmentReader(FolderCache& folders, const PythonSearch& search)
      : folders_(folders), interpreters_(folders), contents_(folders, search) {}

  /// Nothing when no interpreter is there.
  std::optional<InterpreterPlace> locate(const PrefixCandidate& candidate);
  /// Everything of one environment but its id and whether it is active; nothing when it is no Python prefix after all.
  std::optional<PythonEnvironment> read(const PrefixCandidate& candidate, const InterpreterPlace& place);

 private:
  std::string kind_of(const PrefixCandidate& candidate, const Interpreter& interpreter);

  FolderCache& folders_;
  InterpreterReader interpreters_;
  ContentsReader contents_;
};

}  // namespace gpuway
