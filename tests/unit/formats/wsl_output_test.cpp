#include "think/formats/wsl_output.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

// As wsl.exe writes to a pipe: UTF-16, little endian, without a mark, CRLF.
std::string wide(std::u16string_view text) {
  std::string out;
  for (const auto unit : text) {
    if (unit == u'\n') out += std::string("\r\0", 2);
    out += static_cast<char>(unit & 0xFF);
    out += static_cast<char>(unit >> 8);
  }
  return out;
}

std::string decoded(std::string_view bytes) {
  const auto text = decode_wsl_output(bytes);
  return text ? *text : text.error().text();
}

TEST(WslOutput, utf16_without_a_mark_is_read) { EXPECT_EQ(decoded(wide(u"默认版本: 2\n")), "默认版本: 2\r\n"); }
TEST(WslOutput, utf16_with_a_mark_is_read) { EXPECT_EQ(decoded("\xFF\xFE" + wide(u"a\n")), "a\r\n"); }
TEST(WslOutput, utf8_is_read) {
  EXPECT_EQ(decoded("\xEF\xBB\xBFVersion par défaut : 2\r\n"), "Version par défaut : 2\r\n");
}
TEST(WslOutput, a_cut_character_is_malformed) {
  EXPECT_EQ(decoded(std::string("a\0b", 3)), "malformed: output of wsl.exe: UTF-16 of 3 bytes");
}
TEST(WslOutput, half_a_surrogate_is_malformed) {
  EXPECT_EQ(decoded(std::string("a\0\x00\xD8", 4)), "malformed: output of wsl.exe: broken UTF-16");
}
TEST(WslOutput, zeros_are_malformed) {
  EXPECT_EQ(decoded(std::string(8, '\0')), "malformed: output of wsl.exe: a zero character at byte 0");
}
TEST(WslOutput, another_encoding_is_malformed) {
  EXPECT_EQ(decoded("\xC4\xAC\xC8\xCF\r\n"), "malformed: output of wsl.exe: neither UTF-16 nor UTF-8");
}

constexpr std::string_view kEnglish =
    "WSL version: 2.6.3.0\r\nKernel version: 6.6.87.2-1\r\nWSLg version: 1.0.71\r\nMSRDC version: 1.2.6353\r\n"
    "Direct3D version: 1.611.1-81528511\r\nDXCore version: 10.0.26100.1-240331-1435.ge-release\r\nWindows version: "
    "10.0.26100.4349\r\n";

TEST(WslVersionText, is_read_in_the_order_of_its_lines) {
  const auto version = parse_wsl_version(kEnglish);
  ASSERT_TRUE(version);
  EXPECT_EQ(version->wsl, "2.6.3.0");
  EXPECT_EQ(version->kernel, "6.6.87.2-1");
  EXPECT_EQ(version->windows, "10.0.26100.4349");
}
TEST(WslVersionText, is_read_with_wide_colons_and_blanks_before_them) {
  const auto chinese = parse_wsl_version("WSL 版本：2.6.3.0\r\n核心版本：6.6.87.2-1\r\n");
  const auto french = parse_wsl_version("Version WSL : 2.6.3.0\r\nVersion du noyau : 6.6.87.2-1\r\n");
  ASSERT_TRUE(chinese && french);
  EXPECT_EQ(chinese->kernel, "6.6.87.2-1");
  EXPECT_EQ(french->wsl, "2.6.3.0");
}
TEST(WslVersionText, a_program_that_does_not_know_the_option_gives_none) {
  const auto version = parse_wsl_version(
      "Invalid command line option: --version\r\r\nCopyright (c) Microsoft Corporation. All rights reserved.\r\r\n");
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().text(), "malformed: wsl.exe --version: line 1 has no release");
}

TEST(WslListText, names_states_and_versions_are_read) {
  const auto list = parse_wsl_list(
      "  NAME            STATE           VERSION\r\n* Ubuntu-24.04    Running         2\r\n  docker-desktop  Stopped   "
      "      2\r\n  old.one         Stopped         1\r\n");
  ASSERT_TRUE(list);
  const std::vector<WslListLine> want = {
      {"Ubuntu-24.04", "running", 2, true}, {"docker-desktop", "stopped", 2, false}, {"old.one", "stopped", 1, false}};
  EXPECT_EQ(*list, want);
}
TEST(WslListText, a_state_of_several_words_stays_whole) {
  const auto list = parse_wsl_list("  NAME      STATUS            VERSION\r\n* Debian    Wird ausgeführt   2\r\n");
  ASSERT_TRUE(list && list->size() == 1);
  EXPECT_EQ(list->front().state, "wird ausgeführt");
}
TEST(WslListText, a_sentence_is_no_list) {
  const auto list = parse_wsl_list(
      "Windows Subsystem for Linux has no installed distributions.\r\nUse 'wsl.exe --list --online' to list available "
      "distributions\r\n");
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().text(), "malformed: wsl.exe --list: line 2 names no distribution");
}

TEST(WslStatusText, the_kernel_of_old_programs_is_read) {
  EXPECT_EQ(parse_wsl_status("Standardversion: 2\r\n\r\nKernelversion: 5.10.16\r\n").kernel, "5.10.16");
  EXPECT_EQ(parse_wsl_status("Default Distribution: Ubuntu-22.04\r\nDefault Version: 2\r\n").kernel, "");
}
TEST(WslStatusText, the_address_tells_what_a_sentence_asks_for) {
  const auto status = parse_wsl_status(
      "默认版本: 2\r\n当前计算机配置不支持 WSL2。\r\n有关信息，请访问 https://aka.ms/enablevirtualization\r\n");
  EXPECT_TRUE(status.asks_for_virtualization);
  EXPECT_FALSE(status.asks_for_kernel);
}

TEST(WslFault, the_code_is_the_same_in_every_language) {
  EXPECT_EQ(wsl_fault_in("Es ist keine Distribution vorhanden.\r\nFehlercode: Wsl/Service/WSL_E_DISTRO_NOT_FOUND\r\n"),
            "Wsl/Service/WSL_E_DISTRO_NOT_FOUND");
  EXPECT_EQ(wsl_fault_in("错误代码: Wsl/Service/CreateInstance/CreateVm/HCS/HCS_E_HYPERV_NOT_INSTALLED。\r\n"),
            "Wsl/Service/CreateInstance/CreateVm/HCS/HCS_E_HYPERV_NOT_INSTALLED");
}
TEST(WslFault, the_stub_names_its_page) {
  EXPECT_EQ(wsl_fault_in("Le Sous-système n’est pas installé.\r\nhttps://aka.ms/wslinstall "), "not-installed");
  EXPECT_EQ(wsl_fault_in("Default Version: 2\r\n"), "");
}

}  // namespace
}  // namespace gpuway
