#include <cstring>

#include "host_contract/contract.h"
#include "sense/platform/terminal.h"

namespace gpuway {
namespace {

ErrorCode code_of(const auto& result) { return result ? ErrorCode::internal : result.error().code; }

TEST_F(Contract, a_file_is_read_whole_or_not_at_all) {
  const auto path = make("a.txt", std::string("a\0\r\n\xFF", 5));
  EXPECT_EQ(*host_->read_file(path, 5), std::string("a\0\r\n\xFF", 5));
  EXPECT_EQ(code_of(host_->read_file(path, 4)), ErrorCode::too_large);
  EXPECT_EQ(*host_->read_file(make("empty", ""), 0), "");
}

TEST_F(Contract, what_is_not_there_is_not_found) {
  const auto file = make("file", "x");
  for (const auto& path : {folder_ + "/none", folder_ + "/none/below", file + "/below", std::string(), folder_ + "/a?b",
                           folder_ + std::string("/a\0b", 4)}) {
    EXPECT_EQ(code_of(host_->read_file(path, 9)), ErrorCode::not_found) << path;
    EXPECT_EQ(code_of(host_->open_file(path)), ErrorCode::not_found) << path;
    EXPECT_EQ(code_of(host_->stat(path, true)), ErrorCode::not_found) << path;
    EXPECT_EQ(code_of(host_->real_path(path)), ErrorCode::not_found) << path;
    EXPECT_EQ(code_of(host_->list_folder(path, 9)), ErrorCode::not_found) << path;
  }
  EXPECT_EQ(code_of(host_->list_folder(file, 9)), ErrorCode::not_found);
}

TEST_F(Contract, a_folder_is_no_file) {
  EXPECT_EQ(code_of(host_->read_file(folder_, 9)), ErrorCode::unsupported);
  EXPECT_EQ(code_of(host_->open_file(folder_)), ErrorCode::unsupported);
}

TEST_F(Contract, any_part_of_a_file_can_be_read) {
  const auto file = host_->open_file(make("abc", "abcdef"));
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->size(), 6U);
  std::vector<std::byte> room(4);
  EXPECT_EQ(*(*file)->read(1, room), 4U);
  EXPECT_EQ(std::memcmp(room.data(), "bcde", 4), 0);
  EXPECT_EQ(*(*file)->read(4, room), 2U);
  for (const std::uint64_t past : {std::uint64_t{6}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    EXPECT_EQ(*(*file)->read(past, room), 0U) << past;
  const auto view = (*file)->view();
  ASSERT_TRUE(view && view->size() == 6);
  EXPECT_EQ(std::memcmp(view->data(), "abcdef", 6), 0);
  EXPECT_EQ((*file)->next_data(2).begin, 2U);
  EXPECT_EQ((*host_->open_file(make("none", "")))->view()->size(), 0U);
}

TEST_F(Contract, an_identity_tells_files_apart_under_any_name) {
  const auto first = make("a", "x"), other = make("b", "x");
  std::filesystem::create_hard_link(native(first), native(folder_ + "/c"));
  const auto id = host_->stat(first, true)->id;
  EXPECT_FALSE(id.empty());
  EXPECT_EQ((*host_->open_file(first))->identity(), id);
  EXPECT_EQ(host_->stat(folder_ + "/c", true)->id, id);
  EXPECT_NE(host_->stat(other, true)->id, id);
}

TEST_F(Contract, a_folder_lists_its_entries_sorted_with_their_kinds) {
  for (const auto* name : {"b", "a b", "C.txt", "漢字-é😀", "sub/deep"}) make(name, "");
  const auto listing = host_->list_folder(folder_, 100);
  ASSERT_TRUE(listing);
  std::string names;
  for (const auto& entry : listing->entries)
    names += entry.name + (entry.kind == FileKind::folder ? "/ " : entry.kind == FileKind::regular ? " " : "? ");
  EXPECT_EQ(names, "C.txt a b b sub/ 漢字-é😀 ");
  EXPECT_TRUE(listing->complete);
  const auto cut = host_->list_folder(folder_, 3);
  EXPECT_EQ(cut->entries.size(), 3U);
  EXPECT_FALSE(cut->complete);
  const auto matching = host_->list_matching(folder_, 1, [](std::string_view name) { return name == "b"; });
  ASSERT_EQ(matching->entries.size(), 1U);
  EXPECT_TRUE(matching->complete);
  std::filesystem::create_directory(native(folder_ + "/none"));
  EXPECT_TRUE(host_->list_folder(folder_ + "/none", 9)->entries.empty());
}

TEST_F(Contract, a_file_is_described) {
  const auto stat = host_->stat(make("a", "12345"), true);
  EXPECT_EQ(stat->kind, FileKind::regular);
  EXPECT_EQ(stat->size, 5U);
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LT(std::abs(static_cast<double>(now - stat->modified_ns)), 600e9);
  EXPECT_EQ(host_->stat(folder_, true)->kind, FileKind::folder);
}

TEST_F(Contract, links_lead_on_and_can_be_looked_at) {
  const auto file = make("sub/file", "x");
  if (!make_symlink("file", folder_ + "/sub/link")) GTEST_SKIP() << "no symbolic links here";
  make_symlink("nowhere", folder_ + "/dangling");
  make_symlink("loop", folder_ + "/loop");
  EXPECT_EQ(*host_->read_link(folder_ + "/sub/link"), "file");
  EXPECT_EQ(host_->stat(folder_ + "/sub/link", false)->kind, FileKind::link);
  EXPECT_EQ(host_->stat(folder_ + "/sub/link", true)->kind, FileKind::regular);
  EXPECT_EQ(*host_->real_path(folder_ + "/sub/link"), file);
  for (const auto* name : {"/dangling", "/loop"})
    EXPECT_EQ(code_of(host_->stat(folder_ + name, true)), ErrorCode::not_found) << name;
}

TEST_F(Contract, what_is_no_link_leads_nowhere) {
  EXPECT_EQ(code_of(host_->read_link(make("file", "x"))), ErrorCode::unsupported);
  EXPECT_EQ(code_of(host_->read_link(folder_ + "/none")), ErrorCode::not_found);
}

TEST_F(Contract, the_real_path_is_plain) {
  const auto path = make("Sub/Case.txt", "x");
  EXPECT_EQ(*host_->real_path(path), path);
  EXPECT_EQ(*host_->real_path(folder_ + "/Sub/../Sub/./Case.txt"), path);
  EXPECT_EQ(*host_->real_path(folder_), folder_);
  const auto other_case = host_->is_windows() ? folder_ + "/sUB/cASE.TXT" : path;
  EXPECT_EQ(*host_->real_path(other_case), path);
}

TEST_F(Contract, a_long_path_is_a_path) {
  std::vector<std::string> folders = {folder_};
  for (char letter = 'a'; letter < 'f'; ++letter) {
    folders.push_back(folders.back() + "/" + std::string(100, letter));
    ASSERT_TRUE(make_folder(folders.back()));
  }
  const auto path = folders.back() + "/file.txt";
  ASSERT_TRUE(make_file(path, "deep"));
  EXPECT_EQ(*host_->read_file(path, 9), "deep");
  EXPECT_EQ((*host_->open_file(path))->identity(), host_->stat(path, true)->id);
  EXPECT_EQ(host_->list_folder(folders.back(), 9)->entries.size(), 1U);
  EXPECT_EQ(*host_->real_path(path), path);
  remove_file(path);
  for (; folders.size() > 1; folders.pop_back()) remove_folder(folders.back());
}

TEST_F(Contract, names_of_devices_are_plain_names) {
  for (const auto* name : {"nul", "con", "COM1.txt", "aux"}) {
    const auto path = folder_ + "/" + name;
    EXPECT_EQ(code_of(host_->read_file(path, 9)), ErrorCode::not_found) << name;
    if (!make_file(path, "plain")) continue;
    EXPECT_EQ(*host_->read_file(path, 9), "plain") << name;
    remove_file(path);
  }
}

TEST_F(Contract, a_file_is_replaced_as_a_whole) {
  const auto path = folder_ + "/out.json";
  EXPECT_TRUE(replace_file(path, "one\n"));
  EXPECT_TRUE(replace_file(path, "two\n"));
  EXPECT_EQ(*host_->read_file(path, 99), "two\n");
  EXPECT_EQ(code_of(replace_file(folder_ + "/none/out.json", "x")), ErrorCode::not_found);
  std::filesystem::create_directory(native(folder_ + "/taken"));
  make("taken/file", "x");
  EXPECT_FALSE(replace_file(folder_ + "/taken", "x"));
  EXPECT_EQ(host_->list_folder(folder_, 99)->entries.size(), 2U);  // nothing left beside
}

TEST_F(Contract, the_current_folder_is_a_folder) {
  const auto here = host_->current_folder();
  ASSERT_TRUE(host_->stat(here, true)) << here;
  EXPECT_EQ(host_->stat(here, true)->kind, FileKind::folder);
  EXPECT_EQ(*host_->real_path(here), here);
}

}  // namespace
}  // namespace gpuway
