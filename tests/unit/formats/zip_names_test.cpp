#include "think/formats/zip_names.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

std::string number(std::uint32_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
  return out;
}

std::string entry(const std::string& name, const std::string& extra = {}) {
  return "PK\x01\x02" + std::string(24, '\0') + number(static_cast<std::uint32_t>(name.size()), 2) +
         number(static_cast<std::uint32_t>(extra.size()), 2) + std::string(14, '\0') + name + extra;
}

std::string archive(const std::string& before, const std::string& directory, const std::string& comment = {}) {
  return before + directory + "PK\x05\x06" + std::string(8, '\0') +
         number(static_cast<std::uint32_t>(directory.size()), 4) + std::string(4, '\0') +
         number(static_cast<std::uint32_t>(comment.size()), 2) + comment;
}

Result<std::vector<std::string>> names(const std::string& bytes) {
  return read_zip_names(MemorySource(ByteView(bytes)));
}

using Names = std::vector<std::string>;

Names known(const std::string& bytes) {
  const auto found = names(bytes);
  return found ? *found : Names{found.error().text()};
}

TEST(ZipNames, members_are_named_in_the_order_of_the_directory) {
  EXPECT_EQ(known(archive("#!/usr/bin/python\n", entry("b/__init__.py", "xx") + entry("a.py"), "a comment")),
            (Names{"b/__init__.py", "a.py"}));
  EXPECT_EQ(known(archive("", "")), Names{});
}

TEST(ZipNames, a_damaged_entry_ends_the_list) {
  EXPECT_EQ(known(archive("", entry("a.py") + "PK\x01\x03" + entry("b.py"))), Names{"a.py"});
  EXPECT_EQ(known(archive("", entry("a.py") + entry("b.py").substr(0, 48))), Names{"a.py"});
}

TEST(ZipNames, what_is_no_archive_is_malformed) {
  for (const std::string text : {"", "PK", "print('hello')\n"})
    EXPECT_EQ(known(text), Names{"malformed: no end record of a ZIP archive"});
  auto far = archive("", entry("a.py"));
  far.replace(far.size() - 10, 4, number(1000, 4));
  EXPECT_EQ(known(far), Names{"malformed: a directory of 1000 bytes before byte 50"});
  far.replace(far.size() - 10, 4, number(0xFFFFFFFFU, 4));
  EXPECT_EQ(known(far), Names{"too-large: a directory of 4294967295 bytes"});
}

TEST(ZipNames, an_archive_cut_at_every_length_gives_an_error) {
  const auto whole = archive("12345", entry("a.py") + entry("b/__init__.pyc"), "");
  for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_FALSE(names(whole.substr(0, length))) << length;
}

}  // namespace
}  // namespace gpuway
