#include "think/knowledge/cuda.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

std::string text(const std::optional<CudaVersion>& version) { return version ? version->text() : "none"; }

TEST(CudaOfDriver, is_decided_by_the_branch) {
  EXPECT_EQ(text(cuda_of_driver("470.239.06")), "11.4");
  EXPECT_EQ(text(cuda_of_driver("550.54.14")), "12.4");
  EXPECT_EQ(text(cuda_of_driver("550.163.01")), "12.4");
  EXPECT_EQ(text(cuda_of_driver("580.65.06")), "13.0");
}

TEST(CudaOfDriver, of_a_branch_between_two_rows_is_that_of_the_older_row) {
  EXPECT_EQ(text(cuda_of_driver("537.13")), "12.2");  // Windows numbers lie between: 535 is the branch
  EXPECT_EQ(text(cuda_of_driver("566.36")), "12.7");
}

TEST(CudaOfDriver, of_a_branch_after_the_last_row_is_at_least_that_rows) {
  EXPECT_EQ(text(cuda_of_driver("999.10")), text(cuda_of_driver("620.10")));
}

TEST(CudaOfDriver, is_none_before_the_table_and_for_other_texts) {
  EXPECT_EQ(text(cuda_of_driver("304.137")), "none");
  for (const auto* other : {"", "N/A", "550.", "-550.54", "550.54.14 ", "20240101"})
    EXPECT_EQ(text(cuda_of_driver(other)), "none") << other;
}

TEST(CudaForPtx, knows_that_isa_and_release_numbers_run_apart) {
  EXPECT_EQ(text(cuda_for_ptx(6, 5)), "10.2");
  EXPECT_EQ(text(cuda_for_ptx(7, 8)), "11.8");
  EXPECT_EQ(text(cuda_for_ptx(8, 6)), "12.7");  // there never was a toolkit 12.7; 12.8 made it 8.7
  EXPECT_EQ(text(cuda_for_ptx(8, 7)), "12.8");
  EXPECT_EQ(text(cuda_for_ptx(9, 0)), "13.0");
}

TEST(CudaForPtx, of_a_version_between_two_rows_is_the_later_rows) {
  EXPECT_EQ(text(cuda_for_ptx(4, 9)), text(cuda_for_ptx(5, 0)));
}

TEST(CudaForPtx, is_none_for_a_version_newer_than_the_table) {
  EXPECT_EQ(text(cuda_for_ptx(99, 0)), "none");
  EXPECT_EQ(text(cuda_for_ptx(0xFFFFFFFF, 0xFFFFFFFF)), "none");
}

TEST(LowestDriver, of_a_major_is_that_of_minor_version_compatibility) {
  EXPECT_EQ(lowest_driver_of_major(11), "450.80.02");
  EXPECT_EQ(lowest_driver_of_major(12), "525.60.13");
  EXPECT_EQ(lowest_driver_of_major(13), "580.65.06");
  EXPECT_EQ(lowest_driver_of_major(10), "");
  EXPECT_EQ(lowest_driver_of_major(99), "");
}

TEST(LowestDriver, of_a_release_is_its_own) {
  EXPECT_EQ(lowest_driver_of_release({10, 1}), "418.39");
  EXPECT_EQ(lowest_driver_of_release({11, 0}), "450.51.05");  // not the release candidate's
  EXPECT_EQ(lowest_driver_of_release({12, 4}), "550.54.14");
  EXPECT_EQ(lowest_driver_of_release({12, 7}), lowest_driver_of_release({12, 8}));
  EXPECT_EQ(lowest_driver_of_release({9, 2}), "");
  EXPECT_EQ(lowest_driver_of_release({99, 0}), "");
}

// A driver that a release needs must announce that release itself: two tables from different documents.
TEST(LowestDriver, of_every_release_announces_at_least_that_release) {
  int tested = 0;
  for (int major = 10; major <= 13; ++major) {
    for (int minor = 0; minor <= 9; ++minor) {
      const auto driver = lowest_driver_of_release({major, minor});
      if (driver.empty() || driver == lowest_driver_of_release({major, minor + 1})) continue;
      const auto level = cuda_of_driver(driver);
      ASSERT_TRUE(level) << driver;
      EXPECT_EQ(level->text(), CudaVersion({major, minor}).text()) << driver;
      ++tested;
    }
  }
  EXPECT_GT(tested, 20);
}

TEST(OlderDriver, compares_number_by_number) {
  EXPECT_TRUE(is_older_driver("525.60.13", "525.105.17"));
  EXPECT_TRUE(is_older_driver("525.60", "525.60.13"));
  EXPECT_FALSE(is_older_driver("550.54.14", "550.54.14"));
  EXPECT_FALSE(is_older_driver("1000.1", "999.1"));
  EXPECT_FALSE(is_older_driver("unknown", "550.54.14"));
}

}  // namespace
}  // namespace gpuway
