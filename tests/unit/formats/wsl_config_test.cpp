#include "think/formats/wsl_config.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

constexpr WslKey kKeys[] = {
    {"wslconfig", "wsl2.kernel", "path", "", ""},
    {"wslconfig", "wsl2.memory", "size", "", ""},
    {"wslconfig", "wsl2.processors", "int", "", ""},
    {"wslconfig", "wsl2.gpuSupport", "bool", "", ""},
    {"wslconfig", "wsl2.networkingMode", "enum", "none nat mirrored", "experimental.networkingMode"},
    {"wslconfig", "wsl2.macAddress", "mac", "", ""},
    {"wslconfig", "experimental.sparseVhd", "bool", "", ""},
    {"wsl.conf", "automount.root", "string", "", ""},
    {"wsl.conf", "gpu.enabled", "bool", "", ""},
};

WslConfig read(std::string_view text) { return parse_wsl_config(text, "wslconfig", kKeys); }

// The only problem of a file, as "kind key detail line".
std::string problem_of(std::string_view text) {
  std::string out;
  for (const auto& one : read(text).problems) {
    out += (out.empty() ? "" : "; ") + one.kind + " [" + one.key + "] [" + one.detail + "] " + std::to_string(one.line);
  }
  return out;
}

TEST(WslConfigFile, settings_are_read_with_their_lines) {
  const auto config = read("# mine\r\n[wsl2]\r\nmemory=8GB # half\r\n\r\nprocessors = 4\r\n");
  const std::vector<WslSetting> want = {{"wsl2.memory", "8GB", 3}, {"wsl2.processors", "4", 5}};
  EXPECT_EQ(config.settings, want);
  EXPECT_TRUE(config.problems.empty());
  EXPECT_EQ(config.encoding, "utf-8");
}
TEST(WslConfigFile, names_have_any_case) {
  const auto config = read("[WSL2]\nGPUSUPPORT=False\n");
  ASSERT_NE(config.find("wsl2.gpuSupport"), nullptr);
  EXPECT_FALSE(config.flag("wsl2.gpuSupport", true));
  EXPECT_TRUE(config.problems.empty());
}
TEST(WslConfigFile, the_older_section_of_a_key_is_read) {
  EXPECT_EQ(read("[experimental]\nnetworkingMode=mirrored\n").settings,
            (std::vector<WslSetting>{{"wsl2.networkingMode", "mirrored", 2}}));
}
TEST(WslConfigFile, the_first_of_two_equal_keys_counts) {
  const auto config = read("[wsl2]\nmemory=4GB\nmemory=8GB\n");
  EXPECT_EQ(config.settings, (std::vector<WslSetting>{{"wsl2.memory", "4GB", 2}}));
  EXPECT_EQ(problem_of("[wsl2]\nmemory=4GB\nMemory=8GB\n"), "duplicate [wsl2.memory] [8GB] 3");
}
TEST(WslConfigFile, a_size_has_no_blank_and_no_decimals) {
  EXPECT_EQ(problem_of("[wsl2]\nmemory=8 GB\n"), "bad-value [wsl2.memory] [8 GB] 2");
  EXPECT_EQ(problem_of("[wsl2]\nmemory=1.5GB\n"), "bad-value [wsl2.memory] [1.5GB] 2");
  EXPECT_EQ(problem_of("[wsl2]\nmemory=8Go\n"), "bad-value [wsl2.memory] [8Go] 2");
  for (const auto* good : {"8GB", "8g", "8589934592", "512mb", "1T"})
    EXPECT_EQ(problem_of("[wsl2]\nmemory=" + std::string(good) + "\n"), "") << good;
}
TEST(WslConfigFile, switches_numbers_and_words_are_held_to_their_type) {
  EXPECT_EQ(problem_of("[wsl2]\ngpuSupport=yes\n"), "bad-value [wsl2.gpuSupport] [yes] 2");
  EXPECT_EQ(problem_of("[wsl2]\nprocessors=four\n"), "bad-value [wsl2.processors] [four] 2");
  EXPECT_EQ(problem_of("[wsl2]\nnetworkingMode=bridge\n"), "bad-value [wsl2.networkingMode] [bridge] 2");
  EXPECT_EQ(problem_of("[wsl2]\nmacAddress=foo\n"), "bad-value [wsl2.macAddress] [foo] 2");
  EXPECT_EQ(problem_of("[wsl2]\nprocessors=0x10\nnetworkingMode=NAT\ngpuSupport=1\nmacAddress=5c:bb:f6:9e:ee:fa\n"),
            "");
}
TEST(WslConfigFile, an_unescaped_backslash_loses_the_value) {
  EXPECT_EQ(problem_of("[wsl2]\nkernel=C:\\Users\\ada\\k\n"), "bad-escape [wsl2.kernel] [\\U] 2");
  EXPECT_EQ(problem_of("[wsl2]\nkernel=C:\\temp\\new\n"), "bad-escape [wsl2.kernel] [C:\\temp\\new] 2");
  EXPECT_EQ(read("[wsl2]\nkernel=\"C:\\\\k # 1\" # mine\n").settings,
            (std::vector<WslSetting>{{"wsl2.kernel", "C:\\k # 1", 2}}));
}
TEST(WslConfigFile, a_line_may_go_on_behind_a_backslash) {
  EXPECT_EQ(read("[wsl2]\nmemory=8\\\r\nGB\nprocessors=2\n").settings,
            (std::vector<WslSetting>{{"wsl2.memory", "8GB", 2}, {"wsl2.processors", "2", 4}}));
}
TEST(WslConfigFile, a_key_nobody_knows_is_compared_with_those_that_are_known) {
  EXPECT_EQ(problem_of("[wsl2]\nmemmory=8GB\n"), "unknown-key [wsl2.memmory] [wsl2.memory] 2");
  EXPECT_EQ(problem_of("[wsl2]\npageReporting=true\n"), "unknown-key [wsl2.pageReporting] [] 2");
}
TEST(WslConfigFile, a_key_of_another_section_is_told_so) {
  EXPECT_EQ(problem_of("[experimental]\nmemory=8GB\n"), "wrong-section [experimental.memory] [wsl2] 2");
  EXPECT_EQ(problem_of("memory=8GB\n[wsl2]\n"), "no-section [memory] [wsl2] 1");
}
TEST(WslConfigFile, a_section_nobody_knows_is_told_once) {
  EXPECT_EQ(problem_of("[ws12]\nfoo=1\nbar=2\n"), "unknown-section [] [ws12] 1");
  EXPECT_EQ(problem_of("[wsl2\nmemory=8GB\n"), "bad-section [] [wsl2] 1");
  EXPECT_EQ(problem_of("[wsl2]\nmemory 8GB\n"), "no-setting [] [memory 8GB] 2");
}
TEST(WslConfigFile, other_encodings_are_named) {
  EXPECT_EQ(problem_of(std::string("\xFF\xFE[\0w\0s\0l\0"
                                   "2\0]\0",
                                   14)),
            "encoding [] [utf-16] 0");
  EXPECT_EQ(problem_of("[wsl2]\n# \xC4\xAC\xC8\xCF\nmemory=8GB\n"), "encoding [] [other] 0");
  EXPECT_EQ(problem_of("\xEF\xBB\xBF[wsl2]\nmemory=8GB\n"), "");
  EXPECT_EQ(read("\xEF\xBB\xBF[wsl2]\n").encoding, "utf-8-bom");
}
TEST(WslConfigFile, the_settings_of_a_distribution_are_others) {
  const auto config = parse_wsl_config("[automount]\nroot=/\nmemory=8GB\n[gpu]\nenabled=false\n", "wsl.conf", kKeys);
  EXPECT_EQ(config.find("automount.root")->value, "/");
  EXPECT_FALSE(config.flag("gpu.enabled", true));
  ASSERT_EQ(config.problems.size(), 1U);
  EXPECT_EQ(config.problems[0].kind, "unknown-key");
}
TEST(WslConfigFile, line_ends_of_windows_are_named_in_a_distribution) {
  EXPECT_EQ(parse_wsl_config("[gpu]\r\nenabled=true\r\n", "wsl.conf", kKeys).problems.at(0).kind, "dos-line-ends");
}

}  // namespace
}  // namespace gpuway
