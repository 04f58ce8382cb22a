#include "sense/probes/wsl/windows_around.h"

#include "unit/probes/fixture.h"

namespace gpuway {
namespace {

constexpr const char* kMounts = R"("/proc/mounts": "none /run tmpfs rw 0 0\nC:\\134 /mnt/c 9p rw,aname=drvfs;path=C:\\;uid=1000 0 0\n")";

std::optional<WindowsAround> around_of(const std::string& parts, const char* kind = "wsl2") {
  const FixtureHost host(machine_of("{" + parts + "}"));
  Snapshot snapshot;
  snapshot.system.kind = kind;
  collect_windows_around(host, snapshot);
  EXPECT_TRUE(host.unexpected().empty());
  return snapshot.around;
}

std::string files(const std::string& more) { return R"("files": {)" + std::string(kMounts) + more + "}"; }

TEST(WindowsAround, is_left_out_elsewhere) { EXPECT_FALSE(around_of(files(""), "bare").has_value()); }

TEST(WindowsAround, takes_the_profile_that_the_path_of_windows_names) {
  const auto around = around_of(files(R"(, "/mnt/c/Users/ada/.wslconfig": "[wsl2]\r\ngpuSupport=false\r\n", "/mnt/c/Users/bob/x": "")") +
                                R"(, "environment": {"PATH": "/usr/bin:/mnt/c/Windows:/mnt/c/Users/Public/bin:/mnt/c/Users/ada/AppData/Local/x"})");
  EXPECT_EQ(around->drive, "/mnt/c");
  EXPECT_EQ(around->profile, "/mnt/c/Users/ada");
  ASSERT_TRUE(around->config.is_known());
  EXPECT_FALSE(around->config->flag("wsl2.gpuSupport", true));
  EXPECT_TRUE(around->distribution_config.is_absent());
}

TEST(WindowsAround, takes_the_only_profile_and_no_guess_between_two) {
  EXPECT_EQ(around_of(files(R"(, "/mnt/c/Users/ada/x": "", "/mnt/c/Users/Public/x": "")"))->profile, "/mnt/c/Users/ada");
  const auto two = around_of(files(R"(, "/mnt/c/Users/ada/.wslconfig": "", "/mnt/c/Users/bob/x": "")"));
  EXPECT_EQ(two->profile, "");
  EXPECT_TRUE(two->config.is_undetermined());
  EXPECT_EQ(around_of(files("") + R"(, "environment": {"PATH": "/mnt/c/Users/ada/a:/mnt/c/Users/bob/b"})")->profile, "");
}

TEST(WindowsAround, without_the_drive_it_says_that_it_did_not_look) {
  const auto around = around_of(R"("files": {"/proc/mounts": "D:\\134 /mnt/d 9p rw,aname=drvfs;path=D:\\ 0 0\n", "/etc/wsl.conf": "[gpu]\nenabled=false\n"})");
  EXPECT_EQ(around->drive, "");
  EXPECT_TRUE(around->config.is_undetermined());
  ASSERT_TRUE(around->distribution_config.is_known());
  EXPECT_FALSE(around->distribution_config->flag("gpu.enabled", true));
}

TEST(WindowsAround, knows_the_drive_under_another_root) {
  EXPECT_EQ(around_of(R"("files": {"/proc/mounts": "drvfs /c 9p rw,aname=drvfs;path=c:\\;uid=0 0 0\n"})")->drive, "/c");
  EXPECT_EQ(around_of(R"("files": {"/proc/mounts": "C: /win drvfs rw 0 0\n"})", "wsl1")->drive, "/win");
}

}  // namespace
}  // namespace gpuway
