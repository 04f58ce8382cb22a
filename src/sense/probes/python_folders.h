#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sense/host/host.h"

namespace gpuway {

/// Folder listings of one run. Several environments share the standard library and the site folders of their base, and
/// one listing answers for search path, packages and import candidates.
class FolderCache {
 public:
  /// At most this many entries of a folder are kept; beyond it only those with a telling name (see look()).
  static constexpr std::size_t kMaxEntries = 100'000;

  struct Folder {
    std::optional<FolderListing> listing;  // nothing: not there, or `fault`
    std::string fault;                     // "path: code: detail" of what could not be read or was left out
  };

  /// `names` are asked for one by one in a folder that is too large to be listed whole.
  FolderCache(const Host& host, const std::set<std::string>& names) : host_(host), names_(names) {}

  /// The listing. Of a folder with more than kMaxEntries entries: the first ones, and all that can matter to Python
  /// (metadata folders, .pth, .py and .so files, leftovers, `names`).
  const Folder& look(const std::string& path);
  /// nullptr when the folder does not exist or cannot be read.
  const FolderListing* list(const std::string& path);
  /// The entry of that name, links not followed; nullptr when it is not there.
  const FolderEntry* find(const std::string& folder, std::string_view name);

  bool exists(const std::string& path) const { return host_.stat(path, true).has_value(); }
  bool is_folder(const std::string& path) const;
  bool is_file(const std::string& path) const;
  /// The same for an entry of a listing, with a system call only where the listing does not say.
  bool is_folder(const std::string& path, FileKind kind) const;
  bool is_file(const std::string& path, FileKind kind) const;
  const Host& host() const { return host_; }

 private:
  Folder read(const std::string& path) const;

  const Host& host_;
  const std::set<std::string>& names_;
  std::map<std::string, Folder> known_;
};

}  // namespace gpuway
