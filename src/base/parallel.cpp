#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace gpuway {

void for_each_index(std::size_t count, std::size_t grain, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kMaxThreads = 8;
  std::atomic<std::size_t> next{0};
  // One exception (out of memory) ends the work and is thrown again here; out of a thread it would end the program.
  std::exception_ptr fault;
  std::mutex fault_lock;
  const auto take = [&] {
    try {
      for (auto index = next.fetch_add(1); index < count; index = next.fetch_add(1)) work(index);
    } catch (...) {
      const std::scoped_lock lock(fault_lock);
      fault = std::current_exception();
      next = count;
    }
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
  helpers.clear();   // waits for them
  if (fault) std::rethrow_exception(fault);
}

}  // namespace gpuway
