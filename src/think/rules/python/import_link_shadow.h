#pragma once

#include <string>
#include <string_view>

#include "think/knowledge/imports.h"
#include "think/rules/chain_builder.h"

namespace gpuway {

/// What can be told of a Python module from its text alone.
struct ModuleText {
  bool does_nothing = false;    // blanks, comments, a doc string, `pass`: an empty module
  bool imports_itself = false;  // asks for a name of the module that it is standing in for
  bool is_namespace = false;    // extends its own path (pkgutil or pkg_resources style): other portions stay reachable
};
ModuleText read_module_text(std::string_view text, std::string_view module);

/// A local file or folder that answers `import <framework>` in place of the package.
void judge_shadowed_framework(ChainBuilder& chain, const ImportCandidate& winner);

/// Every other module that the import asks for and that a file in the script's folder or on PYTHONPATH answers.
void judge_shadowed_modules(ChainBuilder& chain, const ImportKnowledge& knowledge, std::string_view framework_module);

}  // namespace gpuway
