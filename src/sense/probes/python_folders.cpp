#include "sense/probes/python_folders.h"

#include <algorithm>

#include "base/path.h"

namespace gpuway {
namespace {

bool has_telling_name(std::string_view name) {
  if (name.starts_with('~')) return true;
  for (const auto* ending : {".dist-info", ".egg-info", ".egg", ".pth", ".py", ".so", ".json"}) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

bool before(const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; }
bool same_name(const FolderEntry& a, const FolderEntry& b) { return a.name == b.name; }

}  // namespace

FolderCache::Folder FolderCache::read(const std::string& path) const {
  Folder folder;
  auto listing = host_.list_folder(path, kMaxEntries);
  if (!listing) {
    if (listing.error().code != ErrorCode::not_found) folder.fault = path + ": " + listing.error().text();
    return folder;
  }
  folder.listing = listing.take();
  if (folder.listing->complete) return folder;
  folder.fault =
      path + ": too-large: more than " + std::to_string(kMaxEntries) + " entries; the rest was looked at by name only";
  auto& entries = folder.listing->entries;
  if (auto telling = host_.list_matching(path, kMaxEntries, &has_telling_name)) {
    entries.insert(entries.end(), telling->entries.begin(), telling->entries.end());
  }
  for (const auto& name : names_) {
    if (const auto stat = host_.stat(join_path(path, name), false)) entries.push_back({name, stat->kind});
  }
  std::sort(entries.begin(), entries.end(), before);
  entries.erase(std::unique(entries.begin(), entries.end(), same_name), entries.end());
  return folder;
}

const FolderCache::Folder& FolderCache::look(const std::string& path) {
  const auto found = known_.find(path);
  if (found != known_.end()) return found->second;
  return known_.emplace(path, read(path)).first->second;
}

const FolderListing* FolderCache::list(const std::string& path) {
  const auto& folder = look(path);
  return folder.listing ? &*folder.listing : nullptr;
}

const FolderEntry* FolderCache::find(const std::string& folder, std::string_view name) {
  const auto* listing = list(folder);
  if (listing == nullptr) return nullptr;
  const auto& entries = listing->entries;
  const auto at =
      std::lower_bound(entries.begin(), entries.end(), name,
                       [](const FolderEntry& entry, std::string_view wanted) { return entry.name < wanted; });
  return at != entries.end() && at->name == name ? &*at : nullptr;
}

bool FolderCache::is_folder(const std::string& path) const {
  const auto stat = host_.stat(path, true);
  return stat && stat->kind == FileKind::folder;
}

bool FolderCache::is_file(const std::string& path) const {
  const auto stat = host_.stat(path, true);
  return stat && stat->kind == FileKind::regular;
}

bool FolderCache::is_folder(const std::string& path, FileKind kind) const {
  if (kind == FileKind::folder) return true;
  return (kind == FileKind::link || kind == FileKind::other) && is_folder(path);
}

bool FolderCache::is_file(const std::string& path, FileKind kind) const {
  if (kind == FileKind::regular) return true;
  return (kind == FileKind::link || kind == FileKind::other) && is_file(path);
}

}  // namespace gpuway
