#include "think/explain/log_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace gpuway {
namespace {

using Lines = std::vector<std::pair<std::size_t, std::string>>;

// What the sink gets; `step` bytes at a time.
Lines lines_of(std::string_view bytes, std::size_t step = 1000) {
  Lines lines;
  LogText text([&](const LogText::Line& line) { lines.emplace_back(line.number, std::string(line.text)); });
  for (std::size_t at = 0; at < bytes.size(); at += step) text.add(bytes.substr(at, step));
  text.finish();
  return lines;
}

std::string clean(std::string_view raw) {
  std::string out;
  clean_log_line(raw, out);
  return out;
}

std::string utf16(std::string_view text, bool little, bool mark) {
  std::string out;
  const auto put = [&](char low, char high) {
    out += little ? low : high;
    out += little ? high : low;
  };
  if (mark) put('\xFF', '\xFE');
  for (const char c : text) put(c, 0);
  return out;
}

TEST(LogText, numbers_are_those_of_the_input) {
  EXPECT_EQ(lines_of("a\n\nb\r\nc"), (Lines{{1, "a"}, {3, "b"}, {4, "c"}}));
}

TEST(LogText, a_progress_bar_is_one_line_with_several_parts) {
  EXPECT_EQ(lines_of("10%\r20%\rdone\nnext\n"), (Lines{{1, "10%"}, {1, "20%"}, {1, "done"}, {2, "next"}}));
}

TEST(LogText, the_size_of_the_pieces_does_not_matter) {
  const std::string text = "\x1b[31mfirst\x1b[0m\r\nsecond \xe2\x80\x98x\xe2\x80\x99\r\n\r\nlast";
  for (std::size_t step = 1; step < 9; ++step) EXPECT_EQ(lines_of(text, step), lines_of(text));
}

TEST(LogText, utf16_is_read_with_and_without_a_mark) {
  const Lines expected{{1, "WSL version: 2.1"}, {2, "kernel"}};
  for (const bool little : {true, false}) {
    for (const bool mark : {true, false}) EXPECT_EQ(lines_of(utf16("WSL version: 2.1\r\nkernel\r\n", little, mark), 3), expected);
  }
}

TEST(LogText, binary_input_gives_no_line) {
  std::string bytes;
  for (int i = 0; i < 2048; ++i) bytes += static_cast<char>(i * 7);
  LogText text([](const LogText::Line&) { FAIL(); });
  text.add(bytes);
  text.finish();
  EXPECT_TRUE(text.is_binary());
}

TEST(LogText, a_line_of_any_length_is_cut_into_parts) {
  const auto lines = lines_of(std::string(100'000, 'x'));
  std::size_t bytes = 0;
  for (const auto& [number, text] : lines) {
    EXPECT_EQ(number, 1U);
    bytes += text.size();
  }
  EXPECT_GT(lines.size(), 1U);
  EXPECT_EQ(bytes, 100'000U);
}

TEST(CleanLogLine, takes_out_what_terminals_and_web_pages_added) {
  EXPECT_EQ(clean("\x1b[1;31merror\x1b[0m:\tx"), "error: x");
  EXPECT_EQ(clean("\\u001b[31merror\\u001b[0m"), "error");
  EXPECT_EQ(clean("[0;31merror[0m"), "error");
  EXPECT_EQ(clean("&#39;a&#39; &lt;b&gt; &amp;"), "'a' <b> &");
  EXPECT_EQ(clean("\xe2\x80\x9cx\xe2\x80\x9d\xc2\xa0y"), "\"x\" y");
  EXPECT_EQ(clean("C:\\\\Users\\x"), "C:/Users/x");
}

TEST(CleanLogLine, takes_out_what_stands_before_the_message) {
  EXPECT_EQ(clean("2024-05-01 12:00:00.123456: W x"), "W x");
  EXPECT_EQ(clean("2024-05-01T12:00:00Z x"), "x");
  EXPECT_EQ(clean("[   12.345678] NVRM: x"), "NVRM: x");
  EXPECT_EQ(clean("web-1  | > x"), "x");
  EXPECT_EQ(clean("| NVIDIA-SMI 535 |"), "| NVIDIA-SMI 535 |");
}

}  // namespace
}  // namespace gpuway
