#include "think/formats/ld_so_conf.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

using Entries = std::vector<LdSoConfEntry>;

TEST(LdSoConf, folders_includes_comments_and_types_are_read_as_ldconfig_does) {
  EXPECT_EQ(parse_ld_so_conf("# comment\n\ninclude /etc/ld.so.conf.d/*.conf\n/usr/local/cuda/lib64/  # mine\n"
                             "/opt/a/lib=libc6\nhwcap 0 nosegneg\nrelative/lib\ninclude a.conf\tb.conf\n  /indented  \n"),
            (Entries{{"/etc/ld.so.conf.d/*.conf", true},
                     {"/usr/local/cuda/lib64", false},
                     {"/opt/a/lib", false},
                     {"a.conf", true},
                     {"b.conf", true},
                     {"/indented", false}}));
  EXPECT_EQ(parse_ld_so_conf("/"), (Entries{{"/", false}}));
  EXPECT_EQ(parse_ld_so_conf(""), Entries{});
}

TEST(LdSoConf, a_text_cut_at_any_length_gives_a_beginning_of_the_whole) {
  const std::string_view text = "include /etc/x/*.conf\n/usr/lib\n/opt/cuda/lib64=libc6\n";
  const auto whole = parse_ld_so_conf(text);
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto cut = parse_ld_so_conf(text.substr(0, length));
    ASSERT_LE(cut.size(), whole.size()) << length;
    for (std::size_t i = 0; i + 1 < cut.size(); ++i) EXPECT_EQ(cut[i], whole[i]) << length;
  }
}

TEST(LdSoConf, a_flood_of_lines_is_bounded) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "/a\n";
  EXPECT_EQ(parse_ld_so_conf(text).size(), 10'000U);
}

TEST(FitsPattern, stars_and_question_marks_and_hidden_names) {
  EXPECT_TRUE(fits_pattern("cuda.conf", "*.conf"));
  EXPECT_TRUE(fits_pattern("a.conf.conf", "*.conf"));
  EXPECT_TRUE(fits_pattern("ab", "a?"));
  EXPECT_TRUE(fits_pattern("anything", "*"));
  EXPECT_FALSE(fits_pattern("cuda.conf.bak", "*.conf"));
  EXPECT_FALSE(fits_pattern(".hidden.conf", "*.conf"));
  EXPECT_FALSE(fits_pattern("a", "a?"));
  EXPECT_FALSE(fits_pattern(std::string(5000, 'a'), std::string(2500, '*') + "b"));
}

}  // namespace
}  // namespace gpuway
