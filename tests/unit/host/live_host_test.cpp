#include "sense/platform/live_host.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

namespace gpuway {
namespace {

class LiveHostTest : public testing::Test {
 protected:
  LiveHostTest() {
    std::string name = (std::filesystem::temp_directory_path() / "gpuway-host-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~LiveHostTest() override { std::filesystem::remove_all(folder_); }

  std::string make(const std::string& name, std::string_view content) {
    const auto path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  std::string folder_;
  std::unique_ptr<Host> host_ = make_live_host();
};

TEST_F(LiveHostTest, a_mapped_file_that_is_cut_short_reads_as_zeros) {
  const auto path = make("library", std::string(1 << 16, 'x'));
  const auto file = host_->open_file(path);
  ASSERT_TRUE(file);
  const auto view = (*file)->view();
  ASSERT_TRUE(view.has_value());
  ASSERT_EQ(::truncate(path.c_str(), 4096), 0);
  const auto* bytes = reinterpret_cast<const char*>(view->data());
  EXPECT_TRUE(std::all_of(bytes, bytes + 4096, [](char c) { return c == 'x'; }));
  EXPECT_TRUE(std::all_of(bytes + 4096, bytes + (1 << 16), [](char c) { return c == '\0'; }));
}

TEST_F(LiveHostTest, holes_are_told_from_data) {
  const auto path = make("sparse", "data");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 32);
  const auto file = host_->open_file(path);
  ASSERT_TRUE(file);
  const auto first = (*file)->next_data(0);
  EXPECT_EQ(first.begin, 0U);
  EXPECT_LT(first.end, std::uint64_t{1} << 24);
  EXPECT_EQ((*file)->next_data(first.end).begin, std::uint64_t{1} << 32);
}

TEST_F(LiveHostTest, only_regular_files_are_opened) {
  const auto fifo = folder_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const auto& path : {fifo, folder_, std::string("/dev/null")}) {
    EXPECT_EQ(host_->read_file(path, 100).error().code, ErrorCode::unsupported) << path;
    EXPECT_EQ(host_->open_file(path).error().code, ErrorCode::unsupported) << path;
  }
}

TEST_F(LiveHostTest, a_program_is_over_when_it_ends_whatever_it_leaves_behind) {
  const auto start = std::chrono::steady_clock::now();
  const auto ended =
      host_->run_program({{"/bin/sh", "-c", "echo said; sleep 30 & exit 7"}, std::chrono::seconds(20), 1000});
  ASSERT_TRUE(ended) << ended.error().text();
  EXPECT_EQ(ended->out, "said\n");
  EXPECT_EQ(ended->exit_code, 7);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST_F(LiveHostTest, a_program_is_ended_at_its_limits) {
  const auto flood = host_->run_program(
      {{"/bin/sh", "-c", "while :; do echo xxxxxxxxxxxxxxxx; done"}, std::chrono::seconds(20), 1000});
  ASSERT_TRUE(flood);
  EXPECT_TRUE(flood->cut);
  EXPECT_EQ(flood->out.size(), 1000U);
  const auto late =
      host_->run_program({{"/bin/sh", "-c", "trap '' TERM; sleep 60"}, std::chrono::milliseconds(200), 1000});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timed_out);
}

}  // namespace
}  // namespace gpuway
