#include "say/render/columns.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

using Lines = std::vector<std::string>;

TEST(Columns, chinese_characters_and_their_punctuation_take_two) {
  EXPECT_EQ(columns_of("显卡 GPU，"), 10U);
  EXPECT_EQ(columns_of("e\xCC\x81"), 1U);  // e and a combining accent
}

TEST(Wrap, a_line_may_break_between_wide_characters_but_not_before_a_closing_mark) {
  EXPECT_EQ(wrap("没有显卡，没有驱动", 8), (Lines{"没有显", "卡，没有", "驱动"}));
  EXPECT_EQ(wrap("库（版本）", 4), (Lines{"库", "（版", "本）"}));
}

TEST(Wrap, latin_words_stay_whole_between_wide_characters) {
  EXPECT_EQ(wrap("安装 libcudnn.so.9 后重试", 10), (Lines{"安装", "libcudnn.so.9", "后重试"}));
}

TEST(Wrap, a_word_wider_than_the_line_stays_whole) {
  EXPECT_EQ(wrap("see /a/very/long/path now", 8), (Lines{"see", "/a/very/long/path", "now"}));
}

TEST(Wrap, the_first_line_may_be_narrower_and_stays_empty_when_its_first_word_does_not_fit) {
  EXPECT_EQ(wrap("one two three four", 12, 5), (Lines{"one", "two three", "four"}));
  EXPECT_EQ(wrap("remarkable word", 20, 4), (Lines{"", "remarkable word"}));
  EXPECT_EQ(wrap("", 20, 4), Lines{});
}

TEST(Wrap, no_line_is_wider_than_asked_when_every_piece_fits) {
  const std::string text = "驱动程序只支持到 CUDA 11.8，这个版本需要 CUDA 12.0 或更高版本（说明）。";
  for (std::size_t width = 6; width < 60; ++width) {
    std::string joined;
    for (const auto& line : wrap(text, width, width / 2)) {
      EXPECT_LE(columns_of(line), width) << line;
      joined += line;
    }
    for (const auto* part : {"CUDA", "11.8", "（说明）。"}) EXPECT_NE(joined.find(part), std::string::npos) << width;
  }
}

}  // namespace
}  // namespace gpuway
