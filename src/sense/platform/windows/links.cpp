#include "sense/platform/windows/links.h"

#include <array>
#include <cstring>
#include <vector>

#include "base/byte_source.h"
#include "base/path.h"

namespace gpuway {
namespace {

constexpr DWORD kTagAlias = 0x8000001B;      // IO_REPARSE_TAG_APPEXECLINK
constexpr DWORD kTagLinuxLink = 0xA000001D;  // IO_REPARSE_TAG_LX_SYMLINK
constexpr std::size_t kMaxReparseBytes = 16 * 1024;

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

Handle open_plain(const std::wstring& path, bool follow_links) {
  const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (follow_links ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
  return Handle(::CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING, flags, nullptr));
}

std::optional<std::string> text_at(ByteView data, std::uint64_t offset, std::uint64_t bytes) {
  const auto part = data.part(offset, bytes);
  if (!part) return std::nullopt;
  std::wstring text(bytes / sizeof(wchar_t), L'\0');
  std::memcpy(text.data(), part->data(), text.size() * sizeof(wchar_t));
  return narrow(text);
}

// The texts of an alias: package, application, program, kind; each ends with a NUL.
std::optional<std::string> alias_target(ByteView data) {
  const auto all = text_at(data, 4, data.size() > 4 ? data.size() - 4 : 0);
  if (!all) return std::nullopt;
  std::size_t begin = 0;
  for (int i = 0; i < 2; ++i) {
    const auto end = all->find('\0', begin);
    if (end == std::string::npos) return std::nullopt;
    begin = end + 1;
  }
  return all->substr(begin, all->find('\0', begin) - begin);
}

// "\??\C:\Users" is the kernel's way to write "C:\Users".
std::string without_kernel_prefix(const std::string& target) {
  constexpr std::string_view kernel = "\\??\\", share = "UNC\\";
  if (!target.starts_with(kernel)) return target;
  const auto rest = target.substr(kernel.size());
  return rest.starts_with(share) ? "\\\\" + rest.substr(share.size()) : rest;
}

// The layout of REPARSE_DATA_BUFFER (MS-FSCC 2.1.2): tag, length, reserved, data.
std::optional<std::string> target_of(ByteView buffer) {
  const auto tag = buffer.number<std::uint32_t>(0);
  const auto length = buffer.number<std::uint16_t>(4);
  if (!tag || !length) return std::nullopt;
  const auto data = buffer.part(8, *length);
  if (!data) return std::nullopt;
  if (*tag == kTagAlias) return alias_target(*data);
  if (*tag == kTagLinuxLink) {
    const auto text = data->part(4, data->size() > 4 ? data->size() - 4 : 0);
    if (!text) return std::nullopt;
    return std::string(reinterpret_cast<const char*>(text->data()), text->size());
  }
  const auto offset = data->number<std::uint16_t>(0), bytes = data->number<std::uint16_t>(2);
  if (!offset || !bytes) return std::nullopt;
  const auto target = text_at(*data, (*tag == IO_REPARSE_TAG_SYMLINK ? 12U : 8U) + *offset, *bytes);
  if (!target) return std::nullopt;
  return without_kernel_prefix(*target);
}

}  // namespace

bool is_link(DWORD attributes, DWORD tag) {
  return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
         (tag == IO_REPARSE_TAG_SYMLINK || tag == IO_REPARSE_TAG_MOUNT_POINT || tag == kTagAlias ||
          tag == kTagLinuxLink);
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
  const ByteView content(std::span(buffer.data(), got));
  const auto tag = content.number<std::uint32_t>(0).value_or(0);
  if (!is_link(FILE_ATTRIBUTE_REPARSE_POINT, tag)) return make_error(ErrorCode::unsupported, "no link");
  const auto target = target_of(content);
  if (!target) return make_error(ErrorCode::malformed, "link of " + std::to_string(got) + " bytes");
  return from_windows_path(*target);
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
