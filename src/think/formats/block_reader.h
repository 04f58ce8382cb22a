#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

#include "base/byte_source.h"

namespace gpuway {

/// Reads small things scattered over a ByteSource through a few cached blocks, so that a reader that jumps between
/// tables costs few system calls. Every access is checked against the size of the source.
class BlockReader {
 public:
  static constexpr std::uint64_t kBlock = 4096;

  explicit BlockReader(const ByteSource& source) : source_(source), size_(source.size()) {}

  std::uint64_t size() const { return size_; }

  /// Copies `length` bytes at `offset`; malformed when they do not lie in the source.
  Status copy(std::uint64_t offset, void* out, std::uint64_t length);

  template <class T>
  Result<T> number(std::uint64_t offset) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    GPUWAY_TRY(copy(offset, &value, sizeof(T)));
    return value;
  }

  /// The text at `offset` up to its NUL; malformed when there is none before `end` or within `limit` bytes.
  Result<std::string> c_string(std::uint64_t offset, std::uint64_t end, std::uint64_t limit);

 private:
  struct Block {
    std::array<std::byte, kBlock> bytes;
    std::uint64_t filled = 0;
  };
  Status load(std::uint64_t index, const Block*& out);

  const ByteSource& source_;
  std::uint64_t size_;
  std::map<std::uint64_t, Block> blocks_;
};

}  // namespace gpuway
