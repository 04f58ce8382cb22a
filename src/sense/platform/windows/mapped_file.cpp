#include "sense/platform/windows/mapped_file.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

namespace gpuway {
namespace {

// Read while a fault is handled, so neither locked nor grown. A mapping that finds no slot is not made: its file is
// then read in pieces.
struct Slot {
  std::atomic<std::uintptr_t> begin{0}, end{0};
};
std::array<Slot, 1024> slots;

// The whole mapping becomes zeros: a view of a file cannot be given up in part.
LONG CALLBACK on_page_error(EXCEPTION_POINTERS* fault) {
  const auto& record = *fault->ExceptionRecord;
  if (record.ExceptionCode != static_cast<DWORD>(EXCEPTION_IN_PAGE_ERROR) || record.NumberParameters < 2)
    return EXCEPTION_CONTINUE_SEARCH;
  const auto at = static_cast<std::uintptr_t>(record.ExceptionInformation[1]);
  for (auto& slot : slots) {
    const auto begin = slot.begin.load(), end = slot.end.load();
    if (begin == 0 || at < begin || at >= end) continue;
    void* const base = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
    if (::UnmapViewOfFile(base) == 0) break;
    if (::VirtualAlloc(base, end - begin, MEM_RESERVE | MEM_COMMIT, PAGE_READONLY) == base)
      return EXCEPTION_CONTINUE_EXECUTION;
    break;
  }
  return EXCEPTION_CONTINUE_SEARCH;
}

void watch_once() {
  static std::once_flag once;
  std::call_once(once, [] { ::AddVectoredExceptionHandler(1, &on_page_error); });
}

bool take_slot(std::uintptr_t begin, std::uintptr_t end) {
  for (auto& slot : slots) {
    std::uintptr_t free = 0;
    if (!slot.begin.compare_exchange_strong(free, begin)) continue;
    slot.end = end;
    return true;
  }
  return false;
}

}  // namespace

void* map_file(HANDLE file, std::uint64_t size) {
  watch_once();
  HANDLE const section = ::CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (section == nullptr) return nullptr;
  void* const at = ::MapViewOfFile(section, FILE_MAP_READ, 0, 0, static_cast<SIZE_T>(size));
  ::CloseHandle(section);
  if (at == nullptr) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  if (take_slot(begin, begin + size)) return at;
  ::UnmapViewOfFile(at);
  return nullptr;
}

void unmap_file(void* at) {
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  for (auto& slot : slots) {
    if (slot.begin.load() != begin) continue;
    slot.end = 0;
    slot.begin = 0;
    break;
  }
  // Zeros that took the place of a view that broke are no view any more.
  if (::UnmapViewOfFile(at) == 0) ::VirtualFree(at, 0, MEM_RELEASE);
}

}  // namespace gpuway
