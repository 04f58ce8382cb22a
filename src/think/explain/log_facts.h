#pragma once

#include <map>
#include <string>
#include <string_view>

#include "think/model/explanation.h"

namespace gpuway {

/// What stands beside a literal in the text. `after` may hold line ends, where a value can be broken.

/// "2.10.0" of ` version: 2.10.0+cu118`; empty when no number follows within a few marks.
std::string version_in(std::string_view after);
/// "3.12" of `3.12/site-packages`, `312/Lib`.
std::string python_in(std::string_view after);
/// The library nearest to the place: the first name after it, or the last one before it. "cudart64_110.dll", "libcudnn.so.8".
std::string library_in(std::string_view before, std::string_view after);
/// The rest of a path, when it holds letters that are not ASCII or brackets, which some loaders cannot take.
std::string foreign_path_in(std::string_view after);

/// Collects what a log says about the machine. The first line that says a thing counts.
class LogFacts {
 public:
  /// `value` of the fact `id`; empty values are dropped.
  void add(const std::string& id, std::string value, std::size_t line);
  /// A library that a program looked for in vain: its name tells which CUDA it wants.
  void add_missing_library(const std::string& name, std::size_t line);
  /// With what follows from several: the system.
  std::map<std::string, LogFact> finish() const;

 private:
  std::map<std::string, LogFact> facts_;
  std::map<std::string, std::size_t> counts_;
};

/// Whether a condition of data/tables/signatures.toml holds: "python" (known), "-python" (not known), "system=wsl",
/// "system!=wsl" (also when it is not known), "tensorflow>=2.11", "toolkit!~@wanted-cuda" (another major version).
bool holds(std::string_view condition, const std::map<std::string, LogFact>& facts);

}  // namespace gpuway
