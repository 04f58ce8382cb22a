#include "base/utf16.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

TEST(Utf16, every_code_point_comes_back_and_is_what_the_compiler_writes) {
  EXPECT_EQ(utf8_from_utf16(u"aé漢😀\uFFFF"), "aé漢😀\xEF\xBF\xBF");
  EXPECT_EQ(utf16_from_utf8("aé漢😀"), u"aé漢😀");
  for (char32_t value = 0; value <= 0x10FFFF; value += value < 0x300 || value > 0xD700 ? 1 : 7) {
    std::u16string text;
    if (value < 0x10000) {
      text = {static_cast<char16_t>(value), u'x'};
    } else {
      text = {static_cast<char16_t>(0xD800 + ((value - 0x10000) >> 10)),
              static_cast<char16_t>(0xDC00 + ((value - 0x10000) & 0x3FF)), u'x'};
    }
    ASSERT_EQ(utf16_from_utf8(utf8_from_utf16(text)), text) << static_cast<std::uint32_t>(value);
  }
}

TEST(Utf16, a_surrogate_without_its_partner_survives) {
  for (const std::u16string text : {u"a\xD800", u"\xDC00\xD800z", u"\xD800\xD800\xDC00"}) {
    EXPECT_EQ(utf16_from_utf8(utf8_from_utf16(text)), text);
  }
  EXPECT_EQ(utf8_from_utf16(u"\xD800"), "\xED\xA0\x80");
}

TEST(Utf16, bytes_of_no_character_become_the_replacement) {
  EXPECT_EQ(utf16_from_utf8("a\xFFz"), u"a\uFFFDz");
  EXPECT_EQ(utf16_from_utf8("\xC0\x80"), u"\uFFFD\uFFFD");
  EXPECT_EQ(utf16_from_utf8("\xE6\xBC"), u"\uFFFD\uFFFD");
  EXPECT_EQ(utf16_from_utf8("\xF4\x90\x80\x80"), u"\uFFFD\uFFFD\uFFFD\uFFFD");
}

}  // namespace
}  // namespace gpuway
