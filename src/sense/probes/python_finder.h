#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sense/probes/python_environments.h"
#include "sense/probes/python_folders.h"
#include "sense/probes/python_interpreter.h"

namespace gpuway {

/// Names the places where Python environments can be: those given by name, the active one, project folders,
/// the homes of every tool that makes environments, system interpreters, kernels and editor settings. Only names
/// places; a place that holds no interpreter is found out when it is read.
class PythonFinder {
 public:
  PythonFinder(FolderCache& folders, const PythonSearch& search)
      : folders_(folders), host_(folders.host()), search_(search) {}

  /// All candidates, explicit ones first, at most 5,000. `not_found` receives the explicit ones that lead nowhere.
  std::vector<PrefixCandidate> find(std::vector<std::string>& not_found);
  /// The kernels that an environment brings; their interpreter may be that of another one.
  std::vector<PrefixCandidate> kernels_of(const std::string& prefix);

 private:
  struct ProjectSearch {
    std::string found_by;
    int depth = 0;
    std::size_t folders_left = 0;
  };

  void add(const std::string& prefix, std::string_view kind, std::string_view found_by,
           const std::string& executable = {});
  void add_interpreter(const std::string& executable, std::string_view kind, std::string_view found_by);
  void add_children(const std::string& folder, std::string_view kind, std::string_view found_by);
  bool add_given(const std::string& given);

  void add_active();
  void add_path_folders();
  bool add_pyenv_choice(const std::string& root);
  std::string pyenv_choice(const std::string& root) const;
  void add_interpreters_in(const std::string& bin, std::string_view found_by);

  void add_projects();
  void add_project(const std::string& folder, const FolderListing& listing, std::string_view found_by);
  void look_below(const std::string& folder, int depth, ProjectSearch& search);
  void add_editor_settings(const std::string& folder);

  // python_places.cpp
  void add_home(const std::string& home);
  void add_uv(const std::string& data);
  void add_pyenv(const std::string& root);
  void add_poetry(const std::string& home, const std::string& cache);
  void add_hatch(const std::string& root);
  void add_conda(const std::string& home);
  void add_conda_root(const std::string& root, std::string_view found_by);
  void add_condarc(const std::string& file, const std::string& home);
  void add_shared_places();
  void add_kernels(const std::string& folder);

  // windows/python_places_windows.cpp
  std::vector<PrefixCandidate> find_on_windows(std::vector<std::string>& not_found);
  bool add_given_on_windows(const std::string& given);
  void add_windows_interpreter(const std::string& executable, std::string_view kind, std::string_view found_by);
  void add_registered();
  void add_windows_path();
  void add_windows_home(const std::string& home);
  void add_conda_on_windows(const std::string& home);
  std::string windows_path_variable(const char* name, const std::string& otherwise) const;

  std::vector<std::string> homes() const;
  /// The variable of a live machine, or nullptr when it is not set or empty.
  const std::string* variable(const char* name) const;
  std::string variable_or(const char* name, const std::string& fallback) const;

  FolderCache& folders_;
  const Host& host_;
  const PythonSearch& search_;
  std::vector<PrefixCandidate> found_;
};

}  // namespace gpuway
