#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace gpuway {

void for_each_index(std::size_t count, std::size_t grain, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kMaxThreads = 8;
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (auto index = next.fetch_add(1); index < count; index = next.fetch_add(1)) work(index);
  };
  const auto threads = std::min({count / grain, static_cast<std::size_t>(std::thread::hardware_concurrency()), kMaxThreads});
  std::vector<std::jthread> helpers;
  helpers.reserve(kMaxThreads);
  for (std::size_t i = 1; i < threads; ++i) {
    try {
      helpers.emplace_back(take);
    } catch (const std::system_error&) {
      break;   // no more threads allowed here: fewer do the same work
    }
  }
  take();
}

}  // namespace gpuway
