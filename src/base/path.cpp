#include "base/path.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace gpuway {
namespace {

constexpr std::string_view kShare = "//?/UNC/";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool has_drive(std::string_view path) { return path.size() >= 2 && is_letter(path[0]) && path[1] == ':'; }

// How many characters of the path are its root: "/", "C:/" or what stands before a share.
std::size_t root_size(std::string_view path) {
  if (path.starts_with(kShare)) return kShare.size();
  if (path.starts_with('/')) return 1;
  return has_drive(path) && path.size() >= 3 && path[2] == '/' ? 3 : 0;
}

}  // namespace

bool is_absolute(std::string_view path) { return root_size(path) > 0; }

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
  return std::string(path.substr(0, std::max(slash, root_size(path))));
}

std::string_view file_name(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string clean_path(std::string_view path) {
  const auto root = root_size(path);
  std::string out(path.substr(0, root));
  for (const auto part : split(path.substr(root), '/')) {
    if (part.empty() || part == ".") continue;
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
  }
  return out.empty() ? "." : out;
}

std::string collapse_path(std::string_view path) {
  std::vector<std::string_view> kept;
  const auto root = root_size(path);
  for (const auto part : split(path.substr(root), '/')) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && !kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (part != ".." || root == 0) {
      kept.push_back(part);
    }
  }
  std::string out(path.substr(0, root));
  for (const auto part : kept) {
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
  }
  return out.empty() ? "." : out;
}

bool is_below(std::string_view path, std::string_view folder) {
  if (folder.ends_with('/')) return path.starts_with(folder);
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_windows_path(std::string_view path) {
  return path.starts_with(kShare) || (has_drive(path) && root_size(path) == 3);
}

std::string from_windows_path(std::string_view path) {
  std::string out(path);
  std::replace(out.begin(), out.end(), '\\', '/');
  constexpr std::string_view plain = "//?/";
  if (out.starts_with(plain) && !out.starts_with(kShare)) out.erase(0, plain.size());
  if (out.starts_with("//") && !out.starts_with(plain)) out = std::string(kShare) + out.substr(2);
  if (has_drive(out) && out[0] >= 'a') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string typed_windows_path(std::string_view typed, std::string_view current_folder) {
  const auto path = from_windows_path(typed);
  if (is_windows_path(path)) return path;
  if (path.starts_with('/') && is_windows_path(current_folder)) {
    // The root of the current folder's drive or share.
    std::string root(current_folder);
    while (parent_path(root) != root) root = parent_path(root);
    if (!current_folder.starts_with(kShare)) return clean_path(root + path.substr(1));
    const auto server_end = current_folder.find('/', kShare.size());
    const auto share_end = server_end == std::string_view::npos ? server_end : current_folder.find('/', server_end + 1);
    return clean_path(std::string(current_folder.substr(0, share_end)) + path);
  }
  if (!has_drive(path)) return path;
  // Each drive has a current folder of its own, but only one is known here.
  const bool same_drive = has_drive(current_folder) && current_folder[0] == path[0];
  return clean_path(join_path(same_drive ? current_folder : path.substr(0, 2) + "/", path.substr(2)));
}

std::string to_windows_path(std::string_view path) {
  std::string out = path.starts_with(kShare) ? "//" + std::string(path.substr(kShare.size())) : std::string(path);
  std::replace(out.begin(), out.end(), '/', '\\');
  return out;
}

std::string shown_path(std::string_view path) {
  return is_windows_path(path) ? to_windows_path(path) : std::string(path);
}

std::vector<std::string> windows_path_list(std::string_view value) {
  std::vector<std::string> out;
  for (auto part : split(value, ';')) {
    if (part.size() >= 2 && part.front() == '"' && part.back() == '"') part = part.substr(1, part.size() - 2);
    if (!part.empty()) out.push_back(from_windows_path(part));
  }
  return out;
}

}  // namespace gpuway
