#include "think/formats/pe_exports.h"

#include <algorithm>

namespace gpuway::pe {
namespace {

constexpr std::uint64_t kMaxName = 65536;   // C++ templates make names of more than 4 KiB

struct Head {
  std::uint32_t flags, time, version, name, base, functions, names, function_table, name_table, ordinal_table;
};

}  // namespace

Result<Exports> Exports::read(ByteView file, const Layout& layout) {
  Exports out;
  out.file_ = file;
  out.layout_ = layout;
  const auto range = layout.directories[kExport];
  if (range.address == 0) return out;
  GPUWAY_TRY_ASSIGN(const auto at, layout.offset_of(range.address), "export directory");
  const auto head = file.number<Head>(at);
  if (!head) return make_error(ErrorCode::malformed, "export directory at " + std::to_string(at) + ": behind the end of the file");
  out.base_ = head->base;
  // Counts are claims: no more than fit into the file.
  out.function_count_ = std::min<std::uint64_t>(head->functions, file.size() / 4);
  out.name_count_ = std::min<std::uint64_t>(head->names, file.size() / 4);
  if (out.function_count_ > 0) {
    GPUWAY_TRY_ASSIGN(out.functions_, layout.offset_of(head->function_table), "export addresses");
  }
  if (out.name_count_ > 0) {
    GPUWAY_TRY_ASSIGN(out.names_, layout.offset_of(head->name_table), "export names");
    GPUWAY_TRY_ASSIGN(out.ordinals_, layout.offset_of(head->ordinal_table), "export ordinals");
  }
  return out;
}

std::optional<std::uint64_t> Exports::offset_of(std::uint64_t address) const {
  const auto offset = layout_.offset_of(address);
  return offset ? std::optional(*offset) : std::nullopt;
}

std::optional<std::string_view> Exports::name_at(std::uint64_t index) const {
  const auto address = file_.number<std::uint32_t>(names_ + index * 4);
  const auto offset = address ? offset_of(*address) : std::nullopt;
  return offset ? file_.c_string(*offset, kMaxName) : std::nullopt;
}

std::optional<Exports::Found> Exports::at_index(std::uint64_t index) const {
  if (index >= function_count_) return std::nullopt;
  const auto address = file_.number<std::uint32_t>(functions_ + index * 4);
  if (!address || *address == 0) return std::nullopt;
  Found found;
  // An address inside the export directory itself is the text of a forwarder.
  const auto range = layout_.directories[kExport];
  if (*address >= range.address && *address - range.address < range.size) {
    const auto offset = offset_of(*address);
    const auto text = offset ? file_.c_string(*offset, kMaxName) : std::nullopt;
    if (!text) return std::nullopt;
    found.forward = *text;
  }
  return found;
}

// The loader searches the names by halves, and so finds what it finds in a table that is not sorted.
std::optional<Exports::Found> Exports::by_name(std::string_view name) const {
  std::uint64_t low = 0, high = name_count_;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    const auto here = name_at(middle);
    if (!here) return std::nullopt;
    if (*here == name) {
      const auto ordinal = file_.number<std::uint16_t>(ordinals_ + middle * 2);
      return ordinal ? at_index(*ordinal) : std::nullopt;
    }
    if (*here < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

std::optional<Exports::Found> Exports::by_ordinal(std::uint64_t ordinal) const {
  return ordinal < base_ ? std::nullopt : at_index(ordinal - base_);
}

}  // namespace gpuway::pe
