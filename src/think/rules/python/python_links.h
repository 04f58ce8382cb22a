#pragma once

#include <string>

#include "think/model/fact.h"
#include "think/rules/frameworks/framework_chains.h"

namespace gpuway {

/// Judges the links import and interpreter of a framework (which package wins, its Python dependencies and their
/// versions, ABI, processor). Returns the folder of the winning package, or empty when there is no regular package to
/// look into (the findings then say why).
std::string judge_python_links(ChainBuilder& chain, const FrameworkRule& rule);

/// Whether a small file holds the bytes of `text`; fetched through Wants.
Fact<bool> holds_bytes(ChainBuilder& chain, const std::string& path, const std::string& text);

/// Whether the framework's own package lists a file of that name, in whatever folder. While nobody has looked, it does not.
bool is_file_of_package(ChainBuilder& chain, const std::string& name);

}  // namespace gpuway
