#include "sense/host/reparse_point.h"

#include <gtest/gtest.h>

#include "base/utf16.h"

namespace gpuway {
namespace {

std::string units(std::u16string_view text) { return {reinterpret_cast<const char*>(text.data()), 2 * text.size()}; }
std::string number(std::uint32_t value, std::size_t bytes) { return {reinterpret_cast<const char*>(&value), bytes}; }

std::string buffer_of(std::uint32_t tag, const std::string& data) {
  return number(tag, 4) + number(static_cast<std::uint32_t>(data.size()), 2) + number(0, 2) + data;
}

// As the system writes them: the target and how it is shown, one behind the other.
std::string symlink(std::u16string_view target, std::u16string_view shown, std::uint32_t flags) {
  const auto names = units(shown) + units(target);
  const auto bytes = static_cast<std::uint32_t>(2 * shown.size());
  return buffer_of(0xA000000C, number(bytes, 2) + number(static_cast<std::uint32_t>(2 * target.size()), 2) +
                                   number(0, 2) + number(bytes, 2) + number(flags, 4) + names);
}
std::string junction(std::u16string_view target) {
  const auto bytes = static_cast<std::uint32_t>(2 * target.size());
  return buffer_of(0xA0000003, number(0, 2) + number(bytes, 2) + number(bytes + 2, 2) + number(0, 2) + units(target) +
                                   std::string(4, '\0'));
}
std::string alias(std::u16string_view program) {
  std::u16string texts = u"PythonSoftwareFoundation.Python.3.12_qbz5n2kfra8p0";
  texts += u'\0';
  texts += u"PythonSoftwareFoundation.Python.3.12_qbz5n2kfra8p0!Python";
  texts += u'\0';
  texts += program;
  texts += u'\0';
  texts += u"0";
  texts += u'\0';
  return buffer_of(0x8000001B, number(3, 4) + units(texts));
}

std::string target_of(const std::string& buffer) {
  const auto target = reparse_target(ByteView(std::string_view(buffer)));
  return target ? *target : target.error().text();
}

TEST(ReparsePoint, each_kind_of_link_leads_where_it_says) {
  EXPECT_EQ(target_of(symlink(u"\\??\\c:\\Users\\漢", u"C:\\Users\\漢", 0)), "C:/Users/漢");
  EXPECT_EQ(target_of(symlink(u"..\\b", u"..\\b", 1)), "../b");
  EXPECT_EQ(target_of(symlink(u"\\??\\UNC\\server\\share\\x", u"", 0)), "//?/UNC/server/share/x");
  EXPECT_EQ(target_of(junction(u"\\??\\D:\\envs")), "D:/envs");
  EXPECT_EQ(target_of(alias(u"C:\\Program Files\\WindowsApps\\x\\python3.12.exe")),
            "C:/Program Files/WindowsApps/x/python3.12.exe");
  EXPECT_EQ(target_of(buffer_of(0xA000001D, number(2, 4) + "../lib\\x")), "../lib\\x");
}

TEST(ReparsePoint, other_tags_are_no_links) {
  EXPECT_FALSE(is_link_tag(0x9000601A));  // a file of OneDrive
  EXPECT_EQ(target_of(buffer_of(0x9000601A, std::string(40, 'x'))), "unsupported: no link");
}

TEST(ReparsePoint, a_buffer_cut_anywhere_is_malformed) {
  for (const auto& whole : {symlink(u"\\??\\C:\\a", u"", 0), junction(u"\\??\\C:\\a"), alias(u"C:\\a.exe")}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto target = reparse_target(ByteView(std::string_view(whole).substr(0, size)));
      ASSERT_FALSE(target) << size;
      EXPECT_EQ(target.error().code, ErrorCode::malformed) << size;
    }
  }
  // Cut together with its length.
  for (std::size_t size = 0; size < 30; ++size) {
    const auto target = reparse_target(ByteView(std::string_view(buffer_of(0x8000001B, std::string(size, 'x')))));
    EXPECT_FALSE(target) << size;
  }
}

}  // namespace
}  // namespace gpuway
