#include "sense/probes/windows/wsl_from_windows.h"

#include "unit/probes/fixture.h"

namespace gpuway {
namespace {

constexpr const char* kProgram = R"("files": {"C:/Windows/System32/wsl.exe": "a program"})";
constexpr const char* kPackage = R"("HKLM/SOFTWARE/Microsoft/Windows/CurrentVersion/Lxss/Msi": {"Version": "2.6.3.0"})";
constexpr const char* kDistribution =
    R"("HKCU/SOFTWARE/Microsoft/Windows/CurrentVersion/Lxss/{1}": {"DistributionName": "Ubuntu", "BasePath": "\\\\?\\C:\\wsl\\u", "Flags": 15, "Version": 2, "Flavor": "ubuntu"})";

WslFacts facts_of(const std::string& parts) {
  const FixtureHost host(machine_of(R"({"system": "windows", )" + parts + "}"));
  Snapshot snapshot;
  snapshot.home_folder = "C:/Users/ada";
  collect_wsl(host, snapshot);
  EXPECT_TRUE(host.unexpected().empty());
  return *snapshot.wsl;
}

std::string registry(const std::string& keys) { return R"("registry": {)" + keys + "}"; }

TEST(WslFromWindows, tells_the_programs_that_answer_to_the_name_apart) {
  EXPECT_EQ(facts_of(registry("")).program, "none");
  EXPECT_EQ(facts_of(std::string(kProgram) + ", " + registry("")).program, "stub");
  EXPECT_EQ(facts_of(std::string(kProgram) + ", " + registry(R"("HKLM/SYSTEM/CurrentControlSet/Services/LxssManager": {"Start": 3})")).program, "inbox");
  const auto packaged = facts_of(std::string(kProgram) + ", " + registry(kPackage));
  EXPECT_EQ(packaged.program, "packaged");
  EXPECT_EQ(packaged.version.value_or(""), "2.6.3.0");
}

// The program that offers to install would wait for a key: nothing is started without a distribution.
TEST(WslFromWindows, asks_the_program_only_where_distributions_are_registered) {
  EXPECT_TRUE(facts_of(std::string(kProgram) + ", " + registry(kPackage)).answer.is_undetermined());
}

TEST(WslFromWindows, reads_a_distribution_from_the_registry) {
  const auto wsl = facts_of(registry(std::string(kPackage) + ", " + kDistribution));
  ASSERT_EQ(wsl.distributions.size(), 1U);
  const auto& row = wsl.distributions[0];
  EXPECT_EQ(row.name, "Ubuntu");
  EXPECT_EQ(row.version, 2);
  EXPECT_EQ(row.folder, "C:/wsl/u");
  EXPECT_EQ(row.disk, "C:/wsl/u/ext4.vhdx");
  EXPECT_FALSE(row.disk_exists.value_or(true));
  EXPECT_EQ(row.state, "undetermined");
  EXPECT_TRUE(row.looked.is_undetermined());
}

TEST(WslFromWindows, takes_what_runs_from_the_program_and_its_faults_as_an_answer) {
  const auto with = [](const std::string& answer) {
    return facts_of(std::string(kProgram) + R"(, "programs": {"C:/Windows/System32/wsl.exe": )" + answer + "}, " +
                    registry(std::string(kPackage) + ", " + kDistribution));
  };
  EXPECT_EQ(with(R"({"out": "  NAME    STATE    VERSION\r\n* ubuntu  Running  2\r\n", "exit_code": 0})").distributions[0].state, "running");
  // UTF-16, as it is written into a pipe.
  EXPECT_EQ(with(R"({"out": "N\u0000 \u0000S\u0000 \u0000V\u0000\r\u0000\n\u0000U\u0000b\u0000u\u0000n\u0000t\u0000u\u0000 \u0000S\u0000 \u00002\u0000\r\u0000\n\u0000", "exit_code": 0})")
                .distributions[0].state, "s");
  EXPECT_EQ(with(R"({"out": "x\r\nError code: Wsl/Service/E_FAIL\r\n", "exit_code": 255})").answer.value_or(""), "Wsl/Service/E_FAIL");
  const auto hung = with(R"({"fault": "timed-out"})");
  EXPECT_EQ(hung.answer.reason, ErrorCode::timed_out);
  EXPECT_EQ(hung.distributions[0].version, 2);
  EXPECT_TRUE(with(R"({"out": "NAME STATE VERSION\r\nno line of a list\r\n", "exit_code": 0})").answer.is_undetermined());
}

TEST(WslFromWindows, reads_the_settings_and_sees_the_names_that_are_not_read) {
  const auto wsl = facts_of(R"("files": {"C:/Users/ada/.wslconfig": "[wsl2]\r\ngpuSupport=false\r\n", "C:/Users/ada/.wslconfig.txt": ""}, )" + registry(""));
  ASSERT_TRUE(wsl.config.is_known());
  EXPECT_FALSE(wsl.config->flag("wsl2.gpuSupport", true));
  EXPECT_EQ(wsl.other_configs, std::vector<std::string>{"C:/Users/ada/.wslconfig.txt"});
}

TEST(WslFromWindows, a_policy_that_forbids_is_told) {
  EXPECT_EQ(facts_of(registry(R"("HKLM/SOFTWARE/Policies/WSL": {"AllowWSL": 0})")).allowed.value_or(true), false);
  EXPECT_TRUE(facts_of(registry("")).allowed.is_undetermined() || facts_of(registry("")).allowed.is_absent());
}

}  // namespace
}  // namespace gpuway
