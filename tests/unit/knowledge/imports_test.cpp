#include "think/knowledge/imports.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gpuway {
namespace {

TEST(Imports, a_release_is_spoken_for_by_the_newest_row_not_newer_than_it) {
  EXPECT_EQ(ImportKnowledge::of("tensorflow", "2.15.0")->measured_version(), "2.15.1");
  EXPECT_TRUE(ImportKnowledge::of("tensorflow", "2.15.0.post1")->is_exact());
  EXPECT_EQ(ImportKnowledge::of("tensorflow", "2.11.1")->measured_version(), "2.10.1");
  EXPECT_FALSE(ImportKnowledge::of("tensorflow", "2.11.1")->is_exact());
  EXPECT_EQ(ImportKnowledge::of("tensorflow", "1.15.5")->measured_version(), "2.5.3");
  EXPECT_EQ(ImportKnowledge::of("tensorflow", "9.0")->measured_version(), "2.21.0");
  EXPECT_EQ(ImportKnowledge::of("pytorch", "2.10.0+cu126")->measured_version(), "2.6.0");
}

TEST(Imports, a_version_that_cannot_be_read_is_taken_for_the_newest) {
  EXPECT_EQ(ImportKnowledge::of("tensorflow", "")->measured_version(), "2.21.0");
  EXPECT_EQ(ImportKnowledge::of("tensorflow", "nightly")->measured_version(), "2.21.0");
}

TEST(Imports, an_unknown_framework_has_no_knowledge) { EXPECT_FALSE(ImportKnowledge::of("mxnet", "1.0").has_value()); }

TEST(Imports, what_was_measured_is_what_is_answered) {
  const auto tensorflow = ImportKnowledge::of("tensorflow", "2.18.1");
  EXPECT_EQ(tensorflow->need("numpy"), ModuleNeed::hard);
  EXPECT_EQ(tensorflow->need("keras"), ModuleNeed::optional);  // the import catches its absence
  EXPECT_EQ(tensorflow->need("pandas"), ModuleNeed::none);
  EXPECT_EQ(tensorflow->shadow("typing"), ShadowEffect::breaks);
  EXPECT_EQ(tensorflow->shadow("requests"), ShadowEffect::harmless);
  EXPECT_EQ(tensorflow->shadow("no_such_module"), ShadowEffect::none);
  EXPECT_EQ(ImportKnowledge::of("tensorflow", "2.21.0")->shadow("hashlib"), ShadowEffect::dies);
  EXPECT_EQ(ImportKnowledge::of("onnxruntime", "1.31.1")->modules(ModuleNeed::hard),
            std::vector<std::string_view>{"numpy"});
}

TEST(Imports, the_start_of_the_interpreter_differs_by_version) {
  EXPECT_TRUE(is_loaded_at_start("python", 10, "os"));
  EXPECT_FALSE(is_loaded_at_start("python", 11, "os"));
  EXPECT_TRUE(is_loaded_at_start("python", 13, "encodings"));
  EXPECT_TRUE(is_loaded_at_start("nspkg", 10, "collections"));
  EXPECT_FALSE(is_loaded_at_start("nspkg", 12, "collections"));
}

TEST(Imports, distributions_are_named_after_their_modules_unless_the_table_says_otherwise) {
  EXPECT_EQ(distribution_of("google.protobuf"), "protobuf");
  EXPECT_EQ(distribution_of("absl"), "absl-py");
  EXPECT_EQ(distribution_of("typing_extensions"), "typing-extensions");
}

TEST(Imports, every_module_of_interest_is_a_single_top_level_name_and_there_once) {
  const auto names = modules_of_interest();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const auto name : names) EXPECT_EQ(name.find('.'), std::string_view::npos) << name;
  for (const std::string_view wanted :
       {"tensorflow", "torch", "jax", "onnxruntime", "keras", "google", "numpy", "typing", "os"}) {
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), wanted)) << wanted;
  }
}

TEST(Imports, hard_modules_always_matter_and_standard_ones_only_when_shadowed) {
  EXPECT_FALSE(only_matters_when_shadowed("numpy"));
  EXPECT_FALSE(only_matters_when_shadowed("google"));
  EXPECT_FALSE(only_matters_when_shadowed("tensorflow"));
  EXPECT_TRUE(only_matters_when_shadowed("typing"));
  EXPECT_TRUE(only_matters_when_shadowed("pandas"));
}

TEST(Imports, distributions_of_interest_are_sorted_and_there_once) {
  const auto names = distributions_of_interest();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace gpuway
