#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"

namespace gpuway {

/// Bytes in memory that somebody else owns. Every access is checked by subtraction, never by adding untrusted numbers.
class ByteView {
 public:
  ByteView() = default;
  explicit ByteView(std::span<const std::byte> bytes) : bytes_(bytes) {}
  explicit ByteView(std::string_view text) : bytes_(std::as_bytes(std::span(text.data(), text.size()))) {}

  std::uint64_t size() const { return bytes_.size(); }
  const std::byte* data() const { return bytes_.data(); }

  /// The part [offset, offset + length), or nothing when it does not lie inside.
  std::optional<ByteView> part(std::uint64_t offset, std::uint64_t length) const {
    if (offset > size() || length > size() - offset) return std::nullopt;
    return ByteView(bytes_.subspan(offset, length));
  }

  /// A little-endian number or plain struct of numbers at `offset`, copied out; nothing past the end.
  template <class T>
  std::optional<T> number(std::uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (offset > size() || sizeof(T) > size() - offset) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  /// The text that starts at `offset` and ends before the first NUL; nothing when no NUL follows within `limit` bytes.
  std::optional<std::string_view> c_string(std::uint64_t offset, std::uint64_t limit = 4096) const {
    if (offset >= size()) return std::nullopt;
    const auto room = std::min(limit, size() - offset);
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + offset;
    const void* end = std::memchr(begin, 0, room);
    if (end == nullptr) return std::nullopt;
    return std::string_view(begin, static_cast<const char*>(end) - begin);
  }

 private:
  std::span<const std::byte> bytes_;
};

/// A file or a piece of memory that a reader may ask for ranges. Reading past the end gives fewer bytes, not an error.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  virtual std::uint64_t size() const = 0;
  /// Fills `out` from `offset`; returns how many bytes there were (fewer only at the end of the file).
  virtual Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> out) const = 0;
  /// The whole content as one view when it is in memory or can be mapped; nothing otherwise.
  /// Of a mapped file that another process cuts short while we read it, the part that is gone reads as zeros.
  virtual std::optional<ByteView> view() const { return std::nullopt; }

  /// What tells this file from every other one on the machine, under whatever path it was opened; empty when unknown.
  virtual std::string identity() const { return {}; }

  struct Extent {
    std::uint64_t begin = 0, end = 0;
  };
  /// The next stretch at or behind `offset` that the file system keeps bytes for. All before it reads as zeros: a sparse
  /// file of any size is made for nothing, and must be searched for nothing. begin == size() when there is none.
  virtual Extent next_data(std::uint64_t offset) const { return {std::min(offset, size()), size()}; }

  /// Exactly `length` bytes at `offset`, or `malformed` naming both numbers and the size.
  Result<std::vector<std::byte>> read_exactly(std::uint64_t offset, std::uint64_t length) const;
};

/// A ByteSource over bytes that it does not own.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(ByteView bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> out) const override;
  std::optional<ByteView> view() const override { return bytes_; }

 private:
  ByteView bytes_;
};

}  // namespace gpuway
