#include "say/messages/messages.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

TEST(LanguageOfEnvironment, the_first_variable_that_is_set_decides) {
  EXPECT_EQ(language_of_environment({}), "en");
  EXPECT_EQ(language_of_environment({}, "zh-CN"), "zh");
  EXPECT_EQ(language_of_environment({{"LANG", "C"}}, "zh-CN"), "en");
  EXPECT_EQ(language_of_environment({{"LANG", "zh_CN.UTF-8"}}), "zh");
  EXPECT_EQ(language_of_environment({{"LANG", "zh_CN.UTF-8"}, {"LC_ALL", "C"}}), "en");
  EXPECT_EQ(language_of_environment({{"LANG", "en_US.UTF-8"}, {"LC_MESSAGES", "zh_TW.utf8"}}), "zh");
  EXPECT_EQ(language_of_environment({{"LANG", "zh_CN.UTF-8"}, {"LC_ALL", ""}}), "zh");
  EXPECT_EQ(language_of_environment({{"LANG", "de_DE.UTF-8"}}), "en");
}

TEST(LanguageOfEnvironment, a_locale_of_another_encoding_gets_no_utf8_chinese) {
  EXPECT_EQ(language_of_environment({{"LANG", "zh_CN"}}), "zh");
  EXPECT_EQ(language_of_environment({{"LANG", "zh_CN.GB18030"}}), "en");
  EXPECT_EQ(language_of_environment({{"LANG", "zh_CN.UTF-8@pinyin"}}), "zh");
}

TEST(Messages, unknown_ids_and_arguments_stay_visible) {
  const Messages messages("zh");
  EXPECT_EQ(messages.word("no-such-word"), "no-such-word");
  EXPECT_EQ(messages.finding("no-such-finding"), nullptr);
  EXPECT_EQ(messages.next_step("no-such-step"), "");
  EXPECT_EQ(Messages::fill("{have} {lack}", {{"have", std::string("1")}}), "1 {lack}");
}

TEST(Messages, what_was_seen_is_told_in_the_language_and_stays_when_it_has_no_text) {
  EXPECT_EQ(Messages("zh").phrase("does not exist"), "不存在");
  EXPECT_EQ(Messages("en").phrase("does not exist"), "does not exist");
  EXPECT_EQ(Messages("zh").phrase("550.54.14"), "550.54.14");
}

TEST(Messages, an_argument_cannot_carry_terminal_codes) {
  const auto text = Messages::fill("{path}", {{"path", std::string("a\x1b[31mb")}});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Messages, a_language_without_texts_is_english) {
  EXPECT_EQ(Messages("fr").word("yes"), Messages("en").word("yes"));
  EXPECT_NE(Messages("zh").word("yes"), Messages("en").word("yes"));
}

}  // namespace
}  // namespace gpuway
