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

}  // namespace gpuway
