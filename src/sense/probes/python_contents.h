#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sense/probes/python_folders.h"
#include "sense/probes/python_interpreter.h"
#include "think/model/python_env.h"

namespace gpuway {

struct PythonSearch;

/// What a folder of the search path brings, apart from the environment that has it there.
struct FolderContents {
  std::vector<PythonPackage> packages;
  std::vector<ImportCandidate> imports;  // folder unset; also sitecustomize and usercustomize
  std::vector<std::string> leftovers;
  std::vector<std::string> problems;
};

/// Reads the folders of search paths: packages, import candidates, leftovers. A folder that several environments share
/// is read once for each kind of interpreter.
class ContentsReader {
 public:
  ContentsReader(FolderCache& folders, const PythonSearch& search)
      : folders_(folders), host_(folders.host()), search_(search) {}

  /// Fills packages, imports, leftovers and customizers; needs the search path. At most 10,000 packages besides those
  /// that were asked for.
  void read(const BasePython& base, PythonEnvironment& environment);

 private:
  const FolderContents& contents(const std::string& folder, const std::vector<std::string>& suffixes);
  void read_packages(const std::string& folder, const FolderListing& listing, FolderContents& out);
  void read_metadata(PythonPackage& package, FileKind kind, FolderContents& out);
  void read_wheel_files(PythonPackage& package);
  void read_imports(const std::string& folder, const FolderListing& listing, const std::vector<std::string>& suffixes,
                    FolderContents& out);
  void read_archive(const std::string& path, FolderContents& out);
  std::vector<PythonPackage> conda_packages(PythonEnvironment& environment);
  void merge_conda(PythonEnvironment& environment);
  bool is_wanted(const std::string& name) const;
  bool is_wanted_module(std::string_view name) const;
  bool may_read(const DistributionName& name);
  Result<std::string> read_headers(const std::string& path) const;

  FolderCache& folders_;
  const Host& host_;
  const PythonSearch& search_;
  std::map<std::string, FolderContents> known_;
  std::size_t read_ = 0, read_by_kind_ = 0;                    // metadata files of the folder that is being read
  std::uint64_t header_bytes_ = 0, all_header_bytes_ = 0;      // their bytes, and those of all folders
};

}  // namespace gpuway
