#include "sense/probes/windows/wsl_distributions.h"

#include "think/model/snapshot.h"
#include "think/model/snapshot_json.h"
#include "unit/probes/fixture.h"

namespace gpuway {
namespace {

constexpr const char* kCommand = "C:/Windows/System32/wsl.exe -d Ubuntu --cd C:\\\\gpuway --exec /bin/sh";

WslFacts one_distribution(const std::string& state, int version = 2, const std::string& name = "Ubuntu") {
  WslFacts wsl;
  wsl.path = "C:/Windows/System32/wsl.exe";
  auto& row = wsl.distributions.emplace_back();
  row.name = name;
  row.state = state;
  row.version = version;
  return wsl;
}

std::string as_json(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '\n' ? std::string("\\n") : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

std::string inside_of_linux(const std::string& taken_by) {
  Snapshot snapshot;
  snapshot.taken_by = taken_by;
  snapshot.system.kind = "wsl2";
  return snapshot_to_json(snapshot);
}

// Looks with a Linux program beside this one; `answer` is the row of the program that is started, or empty: none may be.
WslDistribution look(WslFacts wsl, const std::string& answer, DistributionSearch search = {}, const std::string& more = R"("program_folder": "C:/gpuway", "files": {"C:/gpuway/gpuway-linux": "x"})") {
  search.program_version = "1.0";
  const auto programs = answer.empty() ? std::string() : R"(, "programs": {")" + std::string(kCommand) + "\": " + answer + "}";
  const FixtureHost host(machine_of(R"({"system": "windows", )" + more + programs + "}"));
  look_into_distributions(host, search, wsl);
  EXPECT_EQ(host.unexpected(), std::vector<std::string>{});
  return wsl.distributions.front();
}

TEST(WslDistributions, a_running_one_gets_the_snapshot_that_it_writes) {
  const auto row = look(one_distribution("running"), R"({"out": )" + as_json(inside_of_linux("1.0")) + ", \"exit_code\": 1}");
  EXPECT_EQ(row.looked.value_or(""), "program");
  ASSERT_EQ(row.inside.size(), 1U);
  EXPECT_EQ(row.inside[0].system.kind, "wsl2");
}

TEST(WslDistributions, nothing_is_started_where_nobody_said_so) {
  EXPECT_EQ(look(one_distribution("stopped"), "").looked.detail, "stopped");
  EXPECT_EQ(look(one_distribution("converting"), "").looked.detail, "state");
  EXPECT_EQ(look(one_distribution("undetermined"), "").looked.detail, "state");
  EXPECT_EQ(look(one_distribution("running", 1), "").looked.detail, "wsl-1");
  EXPECT_EQ(look(one_distribution("running", 0), "").looked.detail, "version-unknown");
  EXPECT_EQ(look(one_distribution("running", 2, "docker-desktop"), "").looked.detail, "not-for-people");
  // A name that no tool registers must not become an option of wsl.exe.
  EXPECT_EQ(look(one_distribution("running", 2, "--shutdown"), "").looked.detail, "not-for-people");
  EXPECT_EQ(look(one_distribution("running", 2, "a b"), "").looked.detail, "not-for-people");
  EXPECT_EQ(look(one_distribution("running"), "", {}, R"("program_folder": "C:/gpuway")").looked.detail, "no-program");
}

TEST(WslDistributions, a_stopped_one_is_started_with_the_users_word) {
  DistributionSearch search;
  search.start_stopped = true;
  const auto row = look(one_distribution("stopped"), R"({"out": )" + as_json(inside_of_linux("1.0")) + "}", search);
  EXPECT_EQ(row.looked.value_or(""), "program");
}

TEST(WslDistributions, what_is_no_snapshot_of_a_linux_of_this_release_is_told_as_such) {
  const auto with = [](const std::string& out, int code = 0) {
    const auto row = look(one_distribution("running"), R"({"out": )" + as_json(out) + ", \"exit_code\": " + std::to_string(code) + "}");
    EXPECT_TRUE(row.inside.empty());
    return row.looked;
  };
  EXPECT_EQ(with("", 1).detail, "exit code 1");
  EXPECT_EQ(with("sh: 1: exec: /mnt/c/gpuway/gpuway-linux: not found\n", 127).reason, ErrorCode::tool_failed);
  EXPECT_EQ(with("x\nError code: Wsl/Service/E_FAIL\n", -1).detail, "Wsl/Service/E_FAIL");
  EXPECT_EQ(with("{\"schema\": \"gpuway.snapshot/1\", \"environments\": 7}").reason, ErrorCode::malformed);
  EXPECT_EQ(with("{\"schema\": \"gpuway.snapshot/1\"").reason, ErrorCode::malformed);
  EXPECT_EQ(with(inside_of_linux("0.9")).reason, ErrorCode::unsupported);
  Snapshot windows;
  windows.taken_by = "1.0";
  windows.system.family = "windows";
  windows.windows.emplace();
  EXPECT_EQ(with(snapshot_to_json(windows)).reason, ErrorCode::malformed);
  EXPECT_EQ(look(one_distribution("running"), R"({"fault": "timed-out"})").looked.reason, ErrorCode::timed_out);
}

}  // namespace
}  // namespace gpuway
