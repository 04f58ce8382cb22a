#include "base/path.h"

#include <vector>

#include "base/text.h"

namespace gpuway {

bool is_absolute(std::string_view path) { return path.starts_with('/'); }

std::string join_path(std::string_view folder, std::string_view name) {
  if (is_absolute(name) || folder.empty()) return std::string(name);
  std::string out(folder);
  if (out.back() != '/') out += '/';
  out += name;
  return out;
}

std::string parent_path(std::string_view path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return ".";
  if (slash == 0) return "/";
  return std::string(path.substr(0, slash));
}

std::string_view file_name(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string clean_path(std::string_view path) {
  std::string out = is_absolute(path) ? "/" : "";
  for (const auto part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
  }
  return out.empty() ? "." : out;
}

std::string collapse_path(std::string_view path) {
  std::vector<std::string_view> kept;
  const bool absolute = is_absolute(path);
  for (const auto part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && !kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (part != ".." || !absolute) {
      kept.push_back(part);
    }
  }
  std::string out = absolute ? "/" : "";
  for (const auto part : kept) {
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
  }
  return out.empty() ? "." : out;
}

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return is_absolute(path);
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace gpuway
