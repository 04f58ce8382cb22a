#include "base/parallel.h"

#include <gtest/gtest.h>

#include <vector>

namespace gpuway {
namespace {

TEST(ForEachIndex, every_index_is_worked_on_exactly_once) {
  for (const std::size_t count : {0U, 1U, 2U, 7U, 1000U}) {
    for (const std::size_t grain : {1U, 3U, 5000U}) {
      std::vector<int> seen(count, 0);
      for_each_index(count, grain, [&](std::size_t i) { ++seen[i]; });
      EXPECT_EQ(seen, std::vector<int>(count, 1)) << count << " by " << grain;
    }
  }
}

}  // namespace
}  // namespace gpuway
