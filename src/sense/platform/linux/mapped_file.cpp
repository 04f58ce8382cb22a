#include "sense/platform/linux/mapped_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace gpuway {
namespace {

// Read by a signal handler, so neither locked nor grown. A mapping that finds no slot is not made: its file is then
// read in pieces.
struct Slot {
  std::atomic<std::uintptr_t> begin{0}, end{0};
};
std::array<Slot, 4096> slots;

// The rest of the mapping from the page of the fault on becomes zeros, so that one cut costs one signal.
void on_bus_error(int signal, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (auto& slot : slots) {
    const auto begin = slot.begin.load(), end = slot.end.load();
    if (begin == 0 || at < begin || at >= end) continue;
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto from = at & ~(page - 1);
    void* const replaced = ::mmap(reinterpret_cast<void*>(from), end - from, PROT_READ,  // NOLINT(performance-no-int-to-ptr)
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (replaced != MAP_FAILED) return;
  }
  // Not ours: the instruction runs again and meets what the system does by itself.
  ::signal(signal, SIG_DFL);
}

void watch_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action{};
    action.sa_sigaction = &on_bus_error;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, nullptr);
  });
}

Slot* take_slot(std::uintptr_t begin, std::uintptr_t end) {
  for (auto& slot : slots) {
    std::uintptr_t free = 0;
    if (!slot.begin.compare_exchange_strong(free, begin)) continue;
    slot.end = end;
    return &slot;
  }
  return nullptr;
}

}  // namespace

void* map_file(int file, std::size_t size) {
  watch_once();
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (at == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  if (take_slot(begin, begin + size) != nullptr) return at;
  ::munmap(at, size);
  return nullptr;
}

void unmap_file(void* at, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  for (auto& slot : slots) {
    if (slot.begin.load() != begin) continue;
    slot.end = 0;
    slot.begin = 0;
    break;
  }
  ::munmap(at, size);
}

}  // namespace gpuway
