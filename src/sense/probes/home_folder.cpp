#include "sense/probes/home_folder.h"

#include "base/path.h"
#include "base/text.h"
#include "think/formats/system_files.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kMaxStatus = 65536, kMaxUsers = 16 << 20;

// "Uid:" and the real, effective, saved and file system user.
std::string user_id_in(std::string_view status) {
  constexpr std::string_view mark = "Uid:";
  for (const auto line : split_lines(status)) {
    if (!line.starts_with(mark)) continue;
    const auto ids = trim(line.substr(mark.size()));
    return std::string(ids.substr(0, ids.find_first_of("\t ")));
  }
  return {};
}

}  // namespace

std::optional<std::string> home_folder(const Host& host) {
  if (!host.is_live()) return std::nullopt;
  if (host.is_windows()) {
    const auto profile = host.environment().find("USERPROFILE");
    return profile == host.environment().end() ? std::nullopt : std::optional(clean_path(from_windows_path(profile->second)));
  }
  if (const auto found = host.environment().find("HOME"); found != host.environment().end()) return found->second;
  const auto status = host.read_file("/proc/self/status", kMaxStatus);
  const auto users = host.read_file("/etc/passwd", kMaxUsers);
  if (!status || !users) return std::nullopt;
  auto home = home_in_passwd(*users, user_id_in(*status));
  if (home.empty()) return std::nullopt;
  return home;
}

}  // namespace gpuway
