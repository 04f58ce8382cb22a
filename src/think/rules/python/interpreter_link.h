#pragma once

#include "think/rules/python/import_link.h"

namespace gpuway {

/// Judges what stands between the winning package and a finished import: Python version and ABI, the processor's
/// instructions, modules that are missing or shadowed, and versions of dependencies that do not fit together.
/// What a release needs was measured with the real framework (data/tables/imports.toml, python_pins.toml); where the
/// installed files tell it themselves, they have the last word.
void judge_interpreter_link(ChainBuilder& chain, const FrameworkRule& rule, const ImportResult& import);

}  // namespace gpuway
