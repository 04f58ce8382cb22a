#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// What an import of a framework does with one top-level module (data/tables/imports.toml, measured with the real
/// framework by tools/measure_imports.py).
enum class ModuleNeed : unsigned char {
  none,      // never asked for, or asked for and not there when it was measured
  optional,  // used when it is there
  hard,      // without it the import fails
};

/// What an empty file NAME.py in front of the search path does to the import.
enum class ShadowEffect : unsigned char {
  none,      // nobody asks for this name
  harmless,  // it is asked for, and an empty module is enough (or its failure is caught)
  breaks,    // the import raises
  dies,      // the process ends by a signal
};

/// The measured release that speaks for another one: the newest not newer than it, or the oldest there is.
class ImportKnowledge {
 public:
  /// Nothing for a framework that was not measured. A version that cannot be read is taken for the newest.
  static std::optional<ImportKnowledge> of(std::string_view framework, std::string_view version);

  std::string_view measured_version() const;
  std::string_view measured_python() const;
  /// True when this very major.minor release was measured.
  bool is_exact() const { return exact_; }
  ModuleNeed need(std::string_view module) const;
  ShadowEffect shadow(std::string_view module) const;
  /// All modules of a need, sorted; `google.protobuf` stands for a part of the namespace `google`.
  std::vector<std::string_view> modules(ModuleNeed need) const;
  /// Top-level names that are asked for on the search path.
  std::vector<std::string_view> asked_modules() const;

 private:
  ImportKnowledge(std::size_t row, bool exact) : row_(row), exact_(exact) {}
  std::size_t row_;
  bool exact_;
};

/// Whether a name that some framework asks for belongs to the standard library of some Python.
bool is_standard_module(std::string_view module);
/// The normalised distribution that brings a module; the module's own name in that form when the table has no other.
std::string distribution_of(std::string_view module);
/// Modules that the interpreter of this version has loaded before the script's folder is searched: `by` is "python" for
/// every start, "nspkg" for a `*-nspkg.pth` file in a site folder.
bool is_loaded_at_start(std::string_view by, int python_minor, std::string_view module);
/// Files of a framework's own package (relative to its folder) without which the import fails.
std::vector<std::string_view> key_files(std::string_view framework);

/// Every top-level module name that the chains look up: frameworks, what they need and what may be shadowed. Sorted.
std::vector<std::string_view> modules_of_interest();
/// Those of them that matter only where a file in the script folder or on PYTHONPATH could stand in for them: the
/// standard library and optional modules. A probe need not keep candidates of these that nothing shadows.
bool only_matters_when_shadowed(std::string_view module);
/// Distributions whose version or wheel tags the import and interpreter links read. Sorted.
std::vector<std::string_view> distributions_of_interest();

}  // namespace gpuway
