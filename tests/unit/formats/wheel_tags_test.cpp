#include "think/formats/wheel_tags.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

const TagTarget kPython311{3, 11, false, "x86_64", false, 2, 36};

TagFit fit(std::string_view tags, const TagTarget& target = kPython311) {
  return judge_wheel_tags(expand_wheel_tags(tags), target);
}

TEST(WheelTags, compressed_sets_are_expanded_to_their_product) {
  const auto wheel = parse_wheel_name("Foo_Bar-1.0+cu118-2-py2.py3-none-any.whl");
  ASSERT_TRUE(wheel.has_value());
  EXPECT_EQ(wheel->name, "foo-bar");
  EXPECT_EQ(wheel->build, "2");
  EXPECT_EQ(wheel->tags, (std::vector<WheelTag>{{"py2", "none", "any"}, {"py3", "none", "any"}}));
  EXPECT_FALSE(parse_wheel_name("foo-1.0.tar.gz").has_value());
}

TEST(WheelTags, the_first_part_that_does_not_fit_is_named) {
  EXPECT_EQ(fit("cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64"), TagFit::fits);
  EXPECT_EQ(fit("cp310-cp310-manylinux2014_x86_64"), TagFit::abi);  // an older one would need abi3
  EXPECT_EQ(fit("cp312-cp312-manylinux2014_x86_64"), TagFit::python);
  EXPECT_EQ(fit("cp311-cp311-manylinux_2_39_x86_64"), TagFit::platform);
  EXPECT_EQ(fit("cp311-cp311-win_amd64"), TagFit::platform);
  EXPECT_EQ(fit("cp311-cp311-manylinux2014_aarch64"), TagFit::platform);
}

TEST(WheelTags, the_stable_abi_of_an_older_python_fits_but_not_without_the_gil) {
  EXPECT_EQ(fit("cp38-abi3-manylinux2014_x86_64"), TagFit::fits);
  TagTarget free_threaded{3, 13, true, "x86_64", false, 2, 36};
  EXPECT_EQ(fit("cp38-abi3-manylinux2014_x86_64", free_threaded), TagFit::abi);
  EXPECT_EQ(fit("cp313-cp313t-manylinux2014_x86_64", free_threaded), TagFit::fits);
}

TEST(WheelTags, the_number_of_tags_is_bounded) {
  std::string many = "py3";
  for (int i = 0; i < 500; ++i) many += ".py3";
  EXPECT_EQ(expand_wheel_tags(many + "-" + many + "-any").size(), 1000U);
}

}  // namespace
}  // namespace gpuway
