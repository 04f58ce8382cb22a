#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// Top-level modules without which `import` of this framework release raises. Measured by blocking each third-party
/// module (tools/measure_imports.py, 2026-12-01): TensorFlow 2.10 to 2.21, PyTorch 2.6 and 2.15, JAX 0.4.30 to 0.12,
/// ONNX Runtime 1.17 to 1.31. Empty for a framework that was not measured.
std::vector<std::string_view> hard_modules(std::string_view framework, int major, int minor);

/// Modules, of the standard library mostly, that the framework imports and that an unrelated file of the same name in
/// front of them breaks. Only names that broke every measured release of the framework.
std::span<const std::string_view> modules_that_break_when_shadowed(std::string_view framework);

/// A range of a dependency's versions with which the import raises; measured with real packages.
struct BreakingRange {
  std::string_view framework;
  int from_minor, to_minor;           // minor versions of the framework (major 2 for TensorFlow and PyTorch, 1 for ONNX
                                      // Runtime, 0 for JAX), both ends included
  std::string_view distribution;
  std::string_view below, at_least;   // breaks below the first, or at or above the second; one of them is empty
  std::string_view finding, needs;
};
std::span<const BreakingRange> breaking_ranges();

/// Every module named above.
std::set<std::string> modules_of_python_needs();

}  // namespace gpuway
