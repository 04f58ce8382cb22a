#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

// Paths of the machine looked at, as text. std::filesystem follows the system that runs, which may be another one.
//
// Everywhere inside gpuway a path has forward slashes, also one of a Windows machine: "C:/Users/ada", drive letter in upper
// case, and "//?/UNC/server/share" for a share. The platform layer and readers of Windows' texts turn them when they come
// in, what is said to people turns them back.

/// `folder/name`; an absolute `name` replaces the folder.
std::string join_path(std::string_view folder, std::string_view name);
/// The part before the last '/'; "/" or "C:/" for files in the root, "." for a bare name.
std::string parent_path(std::string_view path);
/// The part after the last '/'.
std::string_view file_name(std::string_view path);
/// Removes "//", "/./" and trailing '/', keeps ".." (a link may stand before it).
std::string clean_path(std::string_view path);
/// clean_path, and ".." removed by text alone; for display and for folders known to be no links.
std::string collapse_path(std::string_view path);
/// Starts at a root: "/", a drive with a slash, or a share.
bool is_absolute(std::string_view path);
/// True when `path` is `folder` or lies below it.
bool is_below(std::string_view path, std::string_view folder);

/// A path as Windows writes it (backslashes, any case of the drive letter, a "\\\\?\\" in front) as gpuway keeps it.
std::string from_windows_path(std::string_view path);
/// A path that a person typed on Windows: from_windows_path, and what Windows completes from the current folder
/// ("\\tmp", "C:x", "C:") becomes absolute. Relative paths stay relative.
std::string typed_windows_path(std::string_view typed, std::string_view current_folder);
/// The way back, for people and commands: "C:\\Users\\ada", "\\\\server\\share".
std::string to_windows_path(std::string_view path);
/// The path as people on its machine write it.
std::string shown_path(std::string_view path);
/// True for a path that starts at a drive or share.
bool is_windows_path(std::string_view path);
/// The folders of a PATH-like variable of Windows, in order, as gpuway keeps paths; quotes around an entry and empty
/// entries go.
std::vector<std::string> windows_path_list(std::string_view value);

}  // namespace gpuway
