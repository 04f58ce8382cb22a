#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "think/formats/pe_layout.h"

namespace gpuway::pe {

/// What a PE image exports, looked up in place. Needs a view of the whole file.
class Exports {
 public:
  /// An image without exports is no error. Fails with `malformed`.
  static Result<Exports> read(ByteView file, const Layout& layout);

  struct Found {
    std::string forward;   // "OTHER.Name" or "OTHER.#7"; empty when the image has the code itself
  };
  std::optional<Found> by_name(std::string_view name) const;
  std::optional<Found> by_ordinal(std::uint64_t ordinal) const;
  std::uint64_t name_count() const { return name_count_; }

 private:
  std::optional<std::string_view> name_at(std::uint64_t index) const;
  std::optional<Found> at_index(std::uint64_t index) const;
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;

  ByteView file_;
  Layout layout_;
  std::uint64_t base_ = 0, function_count_ = 0, name_count_ = 0;
  std::uint64_t functions_ = 0, names_ = 0, ordinals_ = 0;   // places in the file
};

}  // namespace gpuway::pe
