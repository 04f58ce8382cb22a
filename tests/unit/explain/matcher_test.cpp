#include "think/explain/matcher.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace gpuway {
namespace {

// "literal@first-last" for each hit.
std::vector<std::string> hits(std::vector<std::string_view> literals, const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  Matcher matcher(literals);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    matcher.add_line(i + 1, true, lines[i], [&](const Matcher::Hit& hit) {
      out.push_back(std::string(literals[hit.literal]) + "@" + std::to_string(hit.first_line) + "-" + std::to_string(hit.last_line));
    });
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(Matcher, finds_a_literal_in_either_case) {
  EXPECT_EQ(hits({"cuda out of memory"}, {"RuntimeError: CUDA out of memory. Tried"}), (Texts{"cuda out of memory@1-1"}));
}

TEST(Matcher, finds_a_literal_that_is_broken_between_words) {
  EXPECT_EQ(hits({"cuda out of memory"}, {"x CUDA out", "of memory"}), (Texts{"cuda out of memory@1-2"}));
}

TEST(Matcher, finds_a_literal_that_is_broken_within_a_word) {
  EXPECT_EQ(hits({"cuda out of memory"}, {"x CUDA out of mem", "ory"}), (Texts{"cuda out of memory@1-2"}));
}

TEST(Matcher, a_blank_is_not_left_out_and_none_is_put_in) {
  EXPECT_TRUE(hits({"no device"}, {"nodevice", "no de vice"}).empty());
}

TEST(Matcher, literals_with_the_same_end_are_all_found) {
  EXPECT_EQ(hits({"file not found", "not found"}, {"file not found"}).size(), 2U);
}

TEST(Matcher, a_literal_does_not_go_over_many_lines) {
  EXPECT_TRUE(hits({"abcdefgh"}, {"a", "b", "c", "d", "e", "f", "g", "h"}).empty());
}

TEST(Matcher, finds_what_comes_after_much_text) {
  std::vector<std::string> lines(500, std::string(90, 'x'));
  lines.push_back("the end of it");
  EXPECT_EQ(hits({"end of it"}, lines), (Texts{"end of it@501-501"}));
}

}  // namespace
}  // namespace gpuway
