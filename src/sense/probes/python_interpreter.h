#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sense/probes/python_folders.h"
#include "think/formats/python_files.h"
#include "think/model/python_env.h"

namespace gpuway {

/// A place that may be an environment.
struct PrefixCandidate {
  std::string prefix;
  std::string kind;  // hint: conda, pyenv, poetry, ...; empty when the place does not tell
  std::string found_by;
  std::string executable;  // when an interpreter was named; else looked for in bin/
  std::string given;       // the text of --env that it comes from
};

/// `python3.11`, `python3.13t`, `pypy3.9`: the name of an interpreter, and of its folder in lib/.
struct PythonName {
  std::string implementation;  // python or pypy
  int major = 0, minor = 0;
  bool free_threaded = false;

  std::string text() const;
};
std::optional<PythonName> parse_python_name(std::string_view text);

/// The installation that holds the standard library of an interpreter.
struct BasePython {
  std::string prefix;  // sys.base_prefix; empty when no standard library was found
  std::string lib;     // sys.platlibdir: lib or lib64
  PythonName name;
  bool debian_site = false;  // its site module is Debian's, with dist-packages
  std::vector<std::string> extension_suffixes;
  bool windows = false;  // laid out as on Windows: Lib, DLLs, Scripts

  std::string stdlib() const { return windows ? prefix + "/" + lib : prefix + "/" + lib + "/" + name.text(); }
};

/// What is known of an interpreter without starting it.
struct Interpreter {
  std::string prefix;
  std::string executable;
  Fact<std::string> real_executable;
  std::optional<PyvenvConfig> config;  // of a virtual environment
  std::string config_path;
  BasePython base;  // name.major is 0 when not even the version could be told
  Fact<std::string> version;
  Fact<std::uint16_t> machine;
};

/// Where a candidate's interpreter is: its prefix and executable; nothing when there is none.
struct InterpreterPlace {
  std::string prefix, executable;
  std::string key;  // equal for two ways to the same environment
};

/// Reads interpreters; what several environments have in common is read once.
class InterpreterReader {
 public:
  explicit InterpreterReader(FolderCache& folders) : folders_(folders), host_(folders.host()) {}

  std::optional<InterpreterPlace> locate(const PrefixCandidate& candidate);
  /// Nothing when there is a file called python, but neither a standard library nor any other sign of a prefix.
  std::optional<Interpreter> read(const PrefixCandidate& candidate, const InterpreterPlace& place,
                                  std::vector<std::string>& problems);

 private:
  std::optional<std::string> executable_in(const std::string& bin);
  void read_config(Interpreter& interpreter, std::vector<std::string>& problems);
  std::optional<PythonName> name_of(const Interpreter& interpreter, const std::string& real_bin);
  std::optional<PythonName> name_in_libraries(const std::string& start);
  bool has_debian_site(const BasePython& base) const;
  std::optional<BasePython> base_by_variable(const std::string& real_bin, const PythonName& name,
                                             std::vector<std::string>& problems);
  std::optional<BasePython> find_base(const std::string& start, const PythonName& name);
  void read_version(Interpreter& interpreter);
  std::optional<Fact<std::string>> version_in_files(const BasePython& base);
  Fact<std::uint16_t> machine_of(const std::string& real_executable);
  std::vector<std::string> suffixes_of(const BasePython& base, const Fact<std::uint16_t>& machine);
  std::string resolve_file_link(const std::string& path) const;

  FolderCache& folders_;
  const Host& host_;
  std::map<std::string, std::optional<BasePython>> bases_;
  std::map<std::string, Fact<std::uint16_t>> machines_;
  std::map<std::string, std::optional<Fact<std::string>>> versions_;
};

}  // namespace gpuway
