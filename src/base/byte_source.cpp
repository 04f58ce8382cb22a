#include "base/byte_source.h"

#include <algorithm>

namespace gpuway {

Result<std::vector<std::byte>> ByteSource::read_exactly(std::uint64_t offset, std::uint64_t length) const {
  if (offset > size() || length > size() - offset) {
    return make_error(ErrorCode::malformed, "range of " + std::to_string(length) + " bytes at offset " +
                                                std::to_string(offset) + " does not lie in a file of " +
                                                std::to_string(size()) + " bytes");
  }
  std::vector<std::byte> bytes(length);
  GPUWAY_TRY_ASSIGN(const auto got, read(offset, bytes));
  if (got != length) {
    return make_error(ErrorCode::malformed, "file ended at " + std::to_string(offset + got) + " while " +
                                                std::to_string(length) + " bytes at offset " + std::to_string(offset) +
                                                " were read");
  }
  return bytes;
}

Result<std::size_t> MemorySource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset >= bytes_.size()) return std::size_t{0};
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), bytes_.size() - offset));
  std::memcpy(out.data(), bytes_.data() + offset, count);
  return count;
}

}  // namespace gpuway
