#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sense/host/host.h"
#include "sense/probes/python_environments.h"
#include "think/model/python_env.h"

namespace gpuway {

/// Folder listings of one run: several environments share the standard library and site folders of their base.
class FolderCache {
 public:
  explicit FolderCache(const Host& host) : host_(host) {}
  /// nullptr when the folder does not exist; an unreadable one leaves its text in `problem`.
  const FolderListing* list(const std::string& path, std::string* problem = nullptr);
  bool exists(const std::string& path) const { return host_.stat(path, true).has_value(); }
  bool is_folder(const std::string& path) const;
  bool is_file(const std::string& path) const;
  const Host& host() const { return host_; }

 private:
  const Host& host_;
  std::map<std::string, std::optional<FolderListing>> known_;
};

/// A place that may be an environment.
struct PrefixCandidate {
  std::string prefix;
  std::string kind;         // hint: conda, pyenv, poetry, ...; empty when the place does not tell
  std::string found_by;
  std::string executable;   // when an interpreter was named; else looked for in bin/
};

/// Reads one prefix; nothing when there is no interpreter in it. Several interpreters of one prefix (/usr) are several
/// environments: name the executable then.
std::optional<PythonEnvironment> read_python_prefix(FolderCache& folders, const PythonSearch& search,
                                                    const PrefixCandidate& candidate);

/// All candidates of this machine, explicit ones first.
std::vector<PrefixCandidate> find_prefixes(FolderCache& folders, const PythonSearch& search,
                                           std::vector<std::string>& not_found);

}  // namespace gpuway
