#pragma once

#include <string>
#include <string_view>

namespace gpuway {

// Paths of the machine looked at, as text. std::filesystem follows the system that runs, which may be another one.
// All functions here are for POSIX paths.

/// `folder/name`; an absolute `name` replaces the folder.
std::string join_path(std::string_view folder, std::string_view name);
/// The part before the last '/', "/" for files in the root, "." for a bare name.
std::string parent_path(std::string_view path);
/// The part after the last '/'.
std::string_view file_name(std::string_view path);
/// Removes "//", "/./" and trailing '/', keeps ".." (a link may stand before it).
std::string clean_path(std::string_view path);
/// clean_path, and ".." removed by text alone; for display and for folders known to be no links.
std::string collapse_path(std::string_view path);
bool is_absolute(std::string_view path);
/// True when `path` is `folder` or lies below it.
bool is_below(std::string_view path, std::string_view folder);

}  // namespace gpuway
