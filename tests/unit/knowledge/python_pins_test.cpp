#include "think/knowledge/python_pins.h"

#include <gtest/gtest.h>

#include "think/knowledge/imports.h"

namespace gpuway {
namespace {

TEST(PythonPins, versions_compare_by_number_with_pre_releases_before) {
  // The order that the `packaging` library gives; local labels and post-releases do not count here.
  const char* const sorted[] = {"1.9", "1.10", "1.26.4", "2.0.0rc1", "2.0.0", "2.0.1", "2.1.0.dev20", "2.1", "10.0"};
  for (std::size_t i = 0; i + 1 < std::size(sorted); ++i) {
    EXPECT_LT(compare_versions(sorted[i], sorted[i + 1]), 0) << sorted[i] << " " << sorted[i + 1];
    EXPECT_GT(compare_versions(sorted[i + 1], sorted[i]), 0) << sorted[i] << " " << sorted[i + 1];
  }
  EXPECT_EQ(compare_versions("2.1", "2.1.0"), 0);
  EXPECT_EQ(compare_versions("2.1.0+cu118", "2.1.0"), 0);
  EXPECT_EQ(compare_versions("2.15.0.post1", "2.15.0"), 0);
}

TEST(PythonPins, a_number_beyond_64_bits_is_great_and_no_overflow) {
  EXPECT_GT(compare_versions("99999999999999999999999999999", "2.0"), 0);
  EXPECT_TRUE(release_numbers("x").empty());
}

TEST(PythonPins, bounds_are_all_required) {
  EXPECT_TRUE(version_within("1.26.4", ">=1.24,<2"));
  EXPECT_FALSE(version_within("2.0.0", ">=1.24,<2"));
  EXPECT_FALSE(version_within("1.23.5", ">=1.24,<2"));
  EXPECT_TRUE(version_within("3.0", "!=2.9"));
  EXPECT_TRUE(version_within("3.0", ""));
  EXPECT_TRUE(version_within("2.0", "==2.0.0"));
}

TEST(PythonPins, rows_hold_for_their_releases_and_pythons_only) {
  const auto speaks_of = [](std::string_view framework, std::string_view version, std::string_view python,
                            std::string_view package) {
    for (const auto* row : pins_of(framework, version, python)) {
      if (row->package == package) return true;
    }
    return false;
  };
  EXPECT_TRUE(speaks_of("tensorflow", "2.14.1", "3.11.7", "ml-dtypes"));
  EXPECT_FALSE(speaks_of("tensorflow", "2.13.1", "3.11.7", "ml-dtypes"));
  EXPECT_TRUE(speaks_of("tensorflow", "2.21.0", "3.12.1", "six"));
  EXPECT_FALSE(speaks_of("tensorflow", "2.18.1", "3.11.7", "six"));
  EXPECT_TRUE(pins_of("mxnet", "1.0", "3.11").empty());
}

TEST(PythonPins, no_row_calls_a_version_that_it_recommends_broken) {
  for (const auto* framework : {"tensorflow", "jax", "keras"}) {
    for (const auto* version :
         {"0.4.30", "0.8.0", "0.12.0", "2.6", "2.10.1", "2.11.0", "2.13.1", "2.14.1", "2.15.1", "2.18.1", "2.21.0"}) {
      for (const auto* row : pins_of(framework, version, "3.12.1")) {
        const auto at = row->needs.find_first_of("<>=");
        ASSERT_NE(at, std::string_view::npos) << row->needs;
        EXPECT_EQ(row->needs.substr(0, at), row->package);
        const auto bound = row->needs.substr(at);
        if (!bound.starts_with(">=")) continue;
        EXPECT_FALSE(version_within(bound.substr(2, bound.find(',') - 2), row->fails) && row->package != framework)
            << row->needs;
      }
    }
  }
}

}  // namespace
}  // namespace gpuway
