#include "sense/platform/windows/links.h"

#include <vector>

#include "base/byte_source.h"
#include "sense/host/reparse_point.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxReparseBytes = 16 * 1024;

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

Handle open_plain(const std::wstring& path, bool follow_links) {
  const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (follow_links ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
  return Handle(::CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING, flags, nullptr));
}

}  // namespace

bool is_link(DWORD attributes, DWORD tag) {
  return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && is_link_tag(tag);
}

Result<std::string> read_native_link(const std::wstring& path) {
  const auto file = open_plain(path, false);
  if (!file) return windows_error(::GetLastError(), "read link");
  std::vector<std::byte> buffer(kMaxReparseBytes);
  DWORD got = 0;
  if (::DeviceIoControl(file.get(), FSCTL_GET_REPARSE_POINT, nullptr, 0, buffer.data(),
                        static_cast<DWORD>(buffer.size()), &got, nullptr) == 0) {
    return windows_error(::GetLastError(), "read link");
  }
  return reparse_target(ByteView(std::span(buffer.data(), got)));
}

Result<Handle> open_to_ask(const std::wstring& path, bool follow_links) {
  auto file = open_plain(path, follow_links);
  if (file) return Result<Handle>(std::move(file));
  const auto fault = ::GetLastError();
  if (fault != ERROR_CANT_ACCESS_FILE || !follow_links) return windows_error(fault, "open");
  GPUWAY_TRY_ASSIGN(const auto target, read_native_link(path));
  GPUWAY_TRY_ASSIGN(const auto program, native_path(target));
  auto again = open_plain(program, true);
  if (!again) return windows_error(::GetLastError(), "open");
  return Result<Handle>(std::move(again));
}

}  // namespace gpuway
