#include "think/formats/zip_names.h"

#include <algorithm>

namespace gpuway {
namespace {

// APPNOTE.TXT 4.3.16 (end of central directory) and 4.3.12 (central directory header).
constexpr std::uint64_t kEndSize = 22, kEntrySize = 46, kMaxComment = 65'535, kMaxDirectory = 16 << 20;
constexpr std::string_view kEndMark = "PK\x05\x06", kEntryMark = "PK\x01\x02";

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Where the end record begins: the last place that looks like one.
Result<std::uint64_t> find_end(const ByteSource& file, std::uint64_t& directory_size) {
  const auto tail = std::min(file.size(), kEndSize + kMaxComment);
  GPUWAY_TRY_ASSIGN(const auto bytes, file.read_exactly(file.size() - tail, tail));
  const auto text = text_of(bytes);
  const auto at = text.rfind(kEndMark);
  const ByteView view(text);
  const auto size = at == std::string_view::npos ? std::nullopt : view.number<std::uint32_t>(at + 12);
  if (!size || text.size() - at < kEndSize) return make_error(ErrorCode::malformed, "no end record of a ZIP archive");
  directory_size = *size;
  return file.size() - tail + at;
}

}  // namespace

Result<std::vector<std::string>> read_zip_names(const ByteSource& file) {
  std::uint64_t size = 0;
  GPUWAY_TRY_ASSIGN(const auto end, find_end(file, size));
  if (size > kMaxDirectory)
    return make_error(ErrorCode::too_large, "a directory of " + std::to_string(size) + " bytes");
  if (size > end) {
    return make_error(ErrorCode::malformed,
                      "a directory of " + std::to_string(size) + " bytes before byte " + std::to_string(end));
  }
  GPUWAY_TRY_ASSIGN(const auto bytes, file.read_exactly(end - size, size));
  const auto text = text_of(bytes);
  const ByteView view(text);
  std::vector<std::string> names;
  for (std::uint64_t at = 0; text.substr(at).starts_with(kEntryMark);) {
    const auto name = view.number<std::uint16_t>(at + 28), extra = view.number<std::uint16_t>(at + 30),
               comment = view.number<std::uint16_t>(at + 32);
    if (!name || !extra || !comment || text.size() - at < kEntrySize) break;
    const std::uint64_t rest = std::uint64_t{*name} + *extra + *comment;
    if (rest > text.size() - at - kEntrySize) break;
    names.emplace_back(text.substr(at + kEntrySize, *name));
    at += kEntrySize + rest;
  }
  return names;
}

}  // namespace gpuway
