#include "sense/probes/wsl/windows_around.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "sense/probes/wsl/wsl_config_file.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kMaxMounts = 1 << 20;
constexpr std::size_t kMaxProfiles = 64;

// "C:\134 /mnt/c 9p rw,aname=drvfs;path=C:\;uid=1000,… 0 0"; the source may also be "drvfs", and WSL 1 has the type drvfs.
std::string mounted_drive(std::string_view mounts) {
  for (const auto line : split_lines(mounts)) {
    const auto parts = split(line, ' ');
    if (parts.size() < 4 || (parts[2] != "9p" && parts[2] != "drvfs" && parts[2] != "virtiofs")) continue;
    const auto source = to_lower(parts[0]), options = to_lower(parts[3]);
    if (source != "c:" && source != "c:\\134" && options.find("path=c:\\") == std::string::npos) continue;
    if (parts[1].find('\\') != std::string_view::npos || !is_absolute(parts[1])) continue;   // an escaped blank: nobody's drive
    return clean_path(parts[1]);
  }
  return {};
}

bool is_nobodys(std::string_view profile) {
  constexpr std::string_view names[] = {"public", "default", "default user", "all users", "defaultapppool", "wdagutilityaccount"};
  return std::find(std::begin(names), std::end(names), to_lower(profile)) != std::end(names);
}

// WSL appends the PATH of Windows, which holds folders of the user's own profile. Two different ones tell nothing.
std::string profile_in_path(const Host& host, const std::string& users) {
  const auto found = host.environment().find("PATH");
  if (found == host.environment().end()) return {};
  std::string profile;
  for (const auto entry : split(found->second, ':')) {
    if (entry.size() <= users.size() + 1 || !is_below(entry, users)) continue;
    const auto rest = entry.substr(users.size() + 1);
    const auto name = rest.substr(0, rest.find('/'));
    if (name.empty() || name == ".." || is_nobodys(name)) continue;
    const auto here = join_path(users, name);
    if (!profile.empty() && profile != here) return {};
    profile = here;
  }
  return profile;
}

std::string only_profile(const Host& host, const std::string& users) {
  const auto listing = host.list_folder(users, kMaxProfiles);
  if (!listing || !listing->complete) return {};
  std::string profile;
  for (const auto& entry : listing->entries) {
    if (entry.kind != FileKind::folder || is_nobodys(entry.name)) continue;
    if (!profile.empty()) return {};
    profile = join_path(users, entry.name);
  }
  return profile;
}

}  // namespace

void collect_windows_around(const Host& host, Snapshot& snapshot) {
  const auto& system = snapshot.system;
  if ((system.kind != "wsl2" && system.kind != "wsl1") || system.container.is_known()) return;
  auto& around = snapshot.around.emplace();
  around.distribution_config = read_wsl_config(host, "/etc/wsl.conf", "wsl.conf");
  if (const auto mounts = host.read_file("/proc/mounts", kMaxMounts); mounts) around.drive = mounted_drive(*mounts);
  if (!around.drive.empty()) {
    const auto users = join_path(around.drive, "Users");
    around.profile = profile_in_path(host, users);
    if (around.profile.empty()) around.profile = only_profile(host, users);
  }
  if (around.profile.empty()) {
    around.config = Fact<WslConfig>::undetermined(
        ErrorCode::not_looked, around.drive.empty() ? "drive C: is not mounted" : "which profile of Windows is this user's is not known", {});
  } else {
    around.config = read_wsl_config(host, join_path(around.profile, ".wslconfig"), "wslconfig");
  }
}

}  // namespace gpuway
