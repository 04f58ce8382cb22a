#include <gtest/gtest.h>

#include "think/formats/pep508_requirement.h"

namespace gpuway {
namespace {

std::string outcome(std::string_view text, const MarkerEnvironment& environment) {
  const auto marker = parse_marker(text);
  if (!marker) return "malformed";
  const auto holds = evaluate(*marker, environment);
  if (!holds) return std::string(to_word(holds.error().code));
  return *holds ? "true" : "false";
}

MarkerEnvironment python_310() { return linux_marker_environment("3.10.13", "x86_64"); }

TEST(Markers, python_version_is_compared_as_a_version) {
  EXPECT_EQ(outcome("python_version >= '3.9'", python_310()), "true");
  EXPECT_EQ(outcome("python_version < '3.9'", python_310()), "false");
  EXPECT_EQ(outcome("'3.9' < python_version", python_310()), "true");
}

TEST(Markers, in_is_a_substring_test) {
  EXPECT_EQ(outcome("python_version in '3.9, 3.10'", python_310()), "true");
  EXPECT_EQ(outcome("python_version not in '3.9, 3.11'", python_310()), "true");
}

TEST(Markers, other_variables_are_text_without_an_order) {
  EXPECT_EQ(outcome("sys_platform == 'linux'", python_310()), "true");
  EXPECT_EQ(outcome("sys_platform > 'a'", python_310()), "false");
  EXPECT_EQ(outcome("platform_machine >= 'x86_64'", python_310()), "true");
}

TEST(Markers, a_kernel_release_that_is_no_version_satisfies_no_version_condition) {
  auto wsl = python_310();
  wsl.values["platform_release"] = "5.15.146.1-microsoft-standard-WSL2";
  EXPECT_EQ(outcome("platform_release >= '5.10'", wsl), "false");
}

TEST(Markers, extras_are_compared_by_their_normal_names) {
  auto environment = python_310();
  environment.extras = {"And_Cuda", "test"};
  EXPECT_EQ(outcome("extra == 'and-cuda'", environment), "true");
  EXPECT_EQ(outcome("extra == 'docs'", environment), "false");
  EXPECT_EQ(outcome("extra == 'and-cuda'", python_310()), "false");
}

TEST(Markers, a_value_that_is_not_known_decides_nothing) {
  EXPECT_EQ(outcome("platform_release == '1' or sys_platform == 'linux'", python_310()), "unsupported");
}

TEST(Markers, and_binds_closer_than_or) {
  EXPECT_EQ(outcome("os_name == 'posix' or os_name == 'nt' and os_name == 'x'", python_310()), "true");
  EXPECT_EQ(outcome("(os_name == 'posix' or os_name == 'nt') and os_name == 'x'", python_310()), "false");
}

TEST(Markers, nesting_is_bounded) {
  const std::string inner = "os_name == 'posix'";
  EXPECT_EQ(outcome(std::string(200, '(') + inner + std::string(200, ')'), python_310()), "true");
  EXPECT_EQ(outcome(std::string(201, '(') + inner + std::string(201, ')'), python_310()), "malformed");
  EXPECT_EQ(outcome(std::string(1'000'000, '('), python_310()), "malformed");
}

TEST(Requirements, all_parts_are_read) {
  const auto requirement =
      parse_requirement("nvidia-cudnn-cu12[a, b] (>=9.1,<10) ; platform_system == \"Linux\" and extra == 'and_cuda'");
  ASSERT_TRUE(requirement.has_value());
  EXPECT_EQ(requirement->name, "nvidia-cudnn-cu12");
  EXPECT_EQ(requirement->extras, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(requirement->specifiers.text(), ">=9.1,<10");
  EXPECT_EQ(requirement->marker.comparisons.size(), 2U);
  EXPECT_EQ(requirement->marker.comparisons[1].right.text, "and-cuda");
}

TEST(Requirements, a_url_ends_at_a_blank) {
  const auto requirement = parse_requirement("torch @ https://example.org/torch.whl;x ; os_name == 'posix'");
  ASSERT_TRUE(requirement.has_value());
  EXPECT_EQ(requirement->url, "https://example.org/torch.whl;x");
  EXPECT_EQ(requirement->marker.steps.size(), 1U);
}

TEST(Requirements, every_beginning_of_a_requirement_ends_in_a_value_or_an_error_text) {
  const std::string whole = "tf-keras[x] (>=2.15,<2.16) ; python_version < '3.13' and (extra == 'a' or extra == 'b')";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const auto requirement = parse_requirement(std::string_view(whole).substr(0, length));
    if (!requirement) {
      EXPECT_EQ(requirement.error().code, ErrorCode::malformed) << length;
    }
  }
  EXPECT_TRUE(parse_requirement(whole).has_value());
}

}  // namespace
}  // namespace gpuway
