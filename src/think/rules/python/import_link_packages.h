#pragma once

#include <string>

#include "think/rules/frameworks/framework_chains.h"

namespace gpuway {

/// Distributions that share the framework's folder: several ONNX Runtime or TensorFlow packages, conda beside pip.
void judge_distributions(ChainBuilder& chain, const FrameworkRule& rule, const std::string& folder,
                         const PythonPackage* winner);

/// Folders that an interrupted pip left behind (`~orch`): harmless, and worth deleting.
void judge_leftovers(ChainBuilder& chain, const FrameworkRule& rule);

}  // namespace gpuway
