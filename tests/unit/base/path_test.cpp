#include "base/path.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

TEST(Path, folders_and_names_of_both_systems_come_apart) {
  EXPECT_EQ(parent_path("/usr/lib"), "/usr");
  EXPECT_EQ(parent_path("/usr"), "/");
  EXPECT_EQ(parent_path("C:/Users"), "C:/");
  EXPECT_EQ(parent_path("C:/Users/ada"), "C:/Users");
  EXPECT_EQ(parent_path("name"), ".");
  EXPECT_EQ(file_name("C:/Windows/x.dll"), "x.dll");
}

TEST(Path, a_drive_or_a_share_is_a_root) {
  EXPECT_TRUE(is_absolute("C:/"));
  EXPECT_TRUE(is_absolute("//?/UNC/server/share"));
  EXPECT_FALSE(is_absolute("C:name"));
  EXPECT_FALSE(is_absolute("lib/x"));
  EXPECT_EQ(join_path("C:/a", "D:/b"), "D:/b");
  EXPECT_EQ(join_path("C:/", "b"), "C:/b");
  EXPECT_EQ(join_path("C:/a", "b"), "C:/a/b");
}

TEST(Path, cleaning_keeps_the_root) {
  EXPECT_EQ(clean_path("C://a/./b/"), "C:/a/b");
  EXPECT_EQ(clean_path("C:/"), "C:/");
  EXPECT_EQ(clean_path("//?/UNC/server//share/"), "//?/UNC/server/share");
  EXPECT_EQ(clean_path("//usr//lib"), "/usr/lib");
  EXPECT_EQ(collapse_path("C:/a/../../b"), "C:/b");
  EXPECT_EQ(collapse_path("/a/../../b"), "/b");
  EXPECT_EQ(collapse_path("a/../../b"), "../b");
  EXPECT_TRUE(is_below("C:/a", "C:/"));
  EXPECT_TRUE(is_below("/a", "/"));
  EXPECT_FALSE(is_below("C:/ab", "C:/a"));
}

TEST(Path, what_windows_writes_is_turned_and_turned_back) {
  EXPECT_EQ(from_windows_path("c:\\Users\\ada"), "C:/Users/ada");
  EXPECT_EQ(from_windows_path("\\\\?\\C:\\deep"), "C:/deep");
  EXPECT_EQ(from_windows_path("\\\\wsl.localhost\\Ubuntu\\home"), "//?/UNC/wsl.localhost/Ubuntu/home");
  EXPECT_EQ(from_windows_path("\\\\?\\UNC\\server\\share"), "//?/UNC/server/share");
  EXPECT_EQ(typed_windows_path("c:\\Users", "D:/x"), "C:/Users");
  EXPECT_EQ(typed_windows_path(".venv\\Scripts", "D:/x"), ".venv/Scripts");
  EXPECT_EQ(typed_windows_path("\\tmp\\a", "D:/x/y"), "D:/tmp/a");
  EXPECT_EQ(typed_windows_path("/tmp", "//?/UNC/server/share/deep"), "//?/UNC/server/share/tmp");
  EXPECT_EQ(typed_windows_path("d:a", "D:/x"), "D:/x/a");
  EXPECT_EQ(typed_windows_path("C:", "D:/x"), "C:/");
  EXPECT_EQ(typed_windows_path("D:", "D:/x"), "D:/x");
  EXPECT_EQ(to_windows_path("C:/Users/ada"), "C:\\Users\\ada");
  EXPECT_EQ(to_windows_path("//?/UNC/server/share"), "\\\\server\\share");
  EXPECT_EQ(windows_path_list("C:\\a;;\"D:\\b c\";e"), (std::vector<std::string>{"C:/a", "D:/b c", "e"}));
}

}  // namespace
}  // namespace gpuway
