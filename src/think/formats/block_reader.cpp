#include "think/formats/block_reader.h"

#include <algorithm>

namespace gpuway {
namespace {

// A reader that keeps jumping must not keep the whole file in memory.
constexpr std::size_t kMaxBlocks = 256;

}  // namespace

Status BlockReader::load(std::uint64_t index, const Block*& out) {
  auto found = blocks_.find(index);
  if (found == blocks_.end()) {
    if (blocks_.size() >= kMaxBlocks) blocks_.clear();
    found = blocks_.try_emplace(index).first;
    auto& block = found->second;
    GPUWAY_TRY_ASSIGN(block.filled, source_.read(index * kBlock, block.bytes));
  }
  out = &found->second;
  return Done{};
}

Status BlockReader::copy(std::uint64_t offset, void* out, std::uint64_t length) {
  if (offset > size_ || length > size_ - offset) {
    return make_error(ErrorCode::malformed, std::to_string(length) + " bytes at offset " + std::to_string(offset) +
                                                " do not lie in a file of " + std::to_string(size_) + " bytes");
  }
  auto* to = static_cast<std::byte*>(out);
  while (length > 0) {
    const Block* block = nullptr;
    GPUWAY_TRY(load(offset / kBlock, block));
    const auto within = offset % kBlock;
    if (within >= block->filled) {
      return make_error(ErrorCode::malformed, "the file ended at offset " + std::to_string(offset) + " while it was read");
    }
    const auto count = std::min(length, block->filled - within);
    std::memcpy(to, block->bytes.data() + within, count);
    to += count;
    offset += count;
    length -= count;
  }
  return Done{};
}

Result<std::string> BlockReader::c_string(std::uint64_t offset, std::uint64_t end, std::uint64_t limit) {
  end = std::min(end, size_);
  std::string text;
  while (offset < end && text.size() <= limit) {
    const Block* block = nullptr;
    GPUWAY_TRY(load(offset / kBlock, block));
    const auto within = offset % kBlock;
    if (within >= block->filled) break;
    const auto room = std::min(block->filled - within, end - offset);
    const auto* begin = reinterpret_cast<const char*>(block->bytes.data()) + within;
    if (const auto* stop = static_cast<const char*>(std::memchr(begin, 0, room))) {
      text.append(begin, stop);
      if (text.size() > limit) break;
      return text;
    }
    text.append(begin, room);
    offset += room;
  }
  if (text.size() > limit) {
    return make_error(ErrorCode::malformed, "text of more than " + std::to_string(limit) + " bytes");
  }
  return make_error(ErrorCode::malformed, "text without an end before offset " + std::to_string(end));
}

}  // namespace gpuway
