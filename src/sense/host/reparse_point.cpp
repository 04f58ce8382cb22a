#include "sense/host/reparse_point.h"

#include <cstring>
#include <optional>

#include "base/path.h"
#include "base/utf16.h"

namespace gpuway {
namespace {

// IO_REPARSE_TAG_* (MS-FSCC 2.1.2.1).
constexpr std::uint32_t kSymlink = 0xA000000C, kMountPoint = 0xA0000003, kAlias = 0x8000001B, kLinuxLink = 0xA000001D;

std::optional<std::string> text_at(ByteView data, std::uint64_t offset, std::uint64_t bytes) {
  const auto part = data.part(offset, bytes);
  if (!part) return std::nullopt;
  std::u16string text(bytes / sizeof(char16_t), u'\0');
  std::memcpy(text.data(), part->data(), text.size() * sizeof(char16_t));
  return utf8_from_utf16(text);
}

// The texts of an alias: package, application, program, kind; each ends with a NUL.
std::optional<std::string> alias_target(ByteView data) {
  if (data.size() < 4) return std::nullopt;
  const auto all = text_at(data, 4, data.size() - 4);
  if (!all) return std::nullopt;
  std::size_t begin = 0;
  for (int i = 0; i < 2; ++i) {
    const auto end = all->find('\0', begin);
    if (end == std::string::npos) return std::nullopt;
    begin = end + 1;
  }
  const auto end = all->find('\0', begin);
  if (end == std::string::npos || end == begin) return std::nullopt;
  return all->substr(begin, end - begin);
}

std::optional<std::string> linux_target(ByteView data) {
  if (data.size() < 4) return std::nullopt;
  const auto text = *data.part(4, data.size() - 4);
  return std::string(reinterpret_cast<const char*>(text.data()), text.size());
}

// "\??\C:\Users" is the kernel's way to write "C:\Users".
std::string without_kernel_prefix(const std::string& target) {
  constexpr std::string_view kernel = "\\??\\", share = "UNC\\";
  if (!target.starts_with(kernel)) return target;
  const auto rest = target.substr(kernel.size());
  return rest.starts_with(share) ? "\\\\" + rest.substr(share.size()) : rest;
}

// Symbolic links and mount points name their target by offset and length into the texts behind
// (MS-FSCC 2.1.2.4, 2.1.2.5).
std::optional<std::string> named_target(ByteView data, std::uint64_t texts) {
  const auto offset = data.number<std::uint16_t>(0), bytes = data.number<std::uint16_t>(2);
  if (!offset || !bytes) return std::nullopt;
  const auto target = text_at(data, texts + *offset, *bytes);
  if (!target) return std::nullopt;
  return from_windows_path(without_kernel_prefix(*target));
}

std::optional<std::string> target_of(std::uint32_t tag, ByteView data) {
  switch (tag) {
    case kAlias: {
      const auto target = alias_target(data);
      return target ? std::optional(from_windows_path(*target)) : std::nullopt;
    }
    case kLinuxLink: return linux_target(data);
    case kSymlink: return named_target(data, 12);
    default: return named_target(data, 8);
  }
}

}  // namespace

bool is_link_tag(std::uint32_t tag) {
  return tag == kSymlink || tag == kMountPoint || tag == kAlias || tag == kLinuxLink;
}

Result<std::string> reparse_target(ByteView buffer) {
  const auto tag = buffer.number<std::uint32_t>(0);
  const auto length = buffer.number<std::uint16_t>(4);
  const auto data = length ? buffer.part(8, *length) : std::nullopt;
  if (!tag || !data)
    return make_error(ErrorCode::malformed, "reparse point of " + std::to_string(buffer.size()) + " bytes");
  if (!is_link_tag(*tag)) return make_error(ErrorCode::unsupported, "no link");
  auto target = target_of(*tag, *data);
  if (!target)
    return make_error(ErrorCode::malformed, "reparse point with " + std::to_string(*length) + " bytes of data");
  return std::move(*target);
}

}  // namespace gpuway
