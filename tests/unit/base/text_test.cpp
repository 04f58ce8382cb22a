#include "base/text.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

TEST(JsonText, any_bytes_come_back) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  // The characters that stand for lone bytes, whole, cut, and beside what they stand for.
  for (const std::string& bytes :
       {all, std::string("\xEF\x9E\x80"), std::string("\xEF\x9F\xBF\xFF"), std::string("\xEF\x9E"),
        std::string("\xEF\x9E\xEF\x9E\x80"), std::string("\xED\xA0\x80"), std::string("\xF4\x90\x80\x80")}) {
    const auto stored = to_json_text(bytes);
    EXPECT_TRUE(is_utf8(stored));
    EXPECT_EQ(from_json_text(stored), bytes);
  }
}

TEST(Printable, nothing_that_drives_a_terminal_or_reorders_a_line_remains) {
  EXPECT_EQ(printable("a\x1b[31m\n\x7f"), "a\\x1b[31m\\x0a\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m");
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "exe.txt"),
            "\\xe2\\x80\\xaeexe.txt");
  EXPECT_EQ(printable("\xE2\x81\xA6\xE2\x80\xA8"), "\\xe2\\x81\\xa6\\xe2\\x80\\xa8");
  EXPECT_EQ(printable("\xE4\xB8\xAD\xE6\x96\x87 \xE2\x80\x94 \xE2\x80\xA6"),
            "\xE4\xB8\xAD\xE6\x96\x87 \xE2\x80\x94 \xE2\x80\xA6");
}

TEST(JsonControls, the_document_means_the_same_and_holds_none) {
  EXPECT_EQ(escape_json_controls("{\n \"a\": \"\x7f\xC2\x9B\xE2\x80\xAE\xE4\xB8\xAD\"\n}"),
            "{\n \"a\": \"\\u007f\\u009b\\u202e\xE4\xB8\xAD\"\n}");
}

}  // namespace
}  // namespace gpuway
