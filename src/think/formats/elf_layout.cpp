#include "think/formats/elf_layout.h"

#include <algorithm>
#include <optional>

namespace gpuway::elf {
namespace {

constexpr std::uint64_t kMaxSegments = 4096;
constexpr std::uint64_t kMaxDynamic = 65536;

Error malformed(std::string detail) { return make_error(ErrorCode::malformed, std::move(detail)); }

Result<Segment> read_segment(BlockReader& reader, std::uint64_t at, bool is64) {
  if (is64) {
    struct Raw {
      std::uint32_t type, flags;
      std::uint64_t offset, address, physical, file_size, memory_size, align;
    };
    GPUWAY_TRY_ASSIGN(const auto raw, reader.number<Raw>(at));
    return Segment{raw.type, raw.flags, raw.offset, raw.address, raw.file_size, raw.memory_size};
  }
  struct Raw {
    std::uint32_t type, offset, address, physical, file_size, memory_size, flags, align;
  };
  GPUWAY_TRY_ASSIGN(const auto raw, reader.number<Raw>(at));
  return Segment{raw.type, raw.flags, raw.offset, raw.address, raw.file_size, raw.memory_size};
}

Status read_dynamic(BlockReader& reader, Layout& layout) {
  for (const auto& segment : layout.segments) {
    if (segment.type != kPtDynamic) continue;
    const std::uint64_t entry = layout.is64 ? 16 : 8;
    const auto count = std::min(segment.file_size / entry, kMaxDynamic);
    for (std::uint64_t i = 0; i < count; ++i) {
      DynamicEntry row;
      if (layout.is64) {
        GPUWAY_TRY_ASSIGN(row, reader.number<DynamicEntry>(segment.offset + i * entry));
      } else {
        struct Raw {
          std::uint32_t tag, value;
        };
        GPUWAY_TRY_ASSIGN(const auto raw, reader.number<Raw>(segment.offset + i * entry));
        row = {raw.tag, raw.value};
      }
      if (row.tag == kNull) return Done{};
      layout.dynamic.push_back(row);
    }
    return Done{};
  }
  return Done{};
}

}  // namespace

Result<std::uint64_t> Layout::offset_of(std::uint64_t address) const {
  for (const auto& segment : segments) {
    if (segment.type != kPtLoad || address < segment.address) continue;
    const auto within = address - segment.address;
    if (within < segment.file_size) return segment.offset + within;
  }
  return malformed("address " + std::to_string(address) + " lies in no loaded segment of the file");
}

std::optional<std::uint64_t> Layout::value(std::uint64_t tag) const {
  std::optional<std::uint64_t> found;
  for (const auto& entry : dynamic) {
    if (entry.tag == tag) found = entry.value;
  }
  return found;
}

Result<Layout> read_layout(BlockReader& reader) {
  struct Ident {
    unsigned char magic[4];
    std::uint8_t elf_class, data, version, os_abi, abi_version, pad[7];
    std::uint16_t type, machine;
  };
  GPUWAY_TRY_ASSIGN(const auto ident, reader.number<Ident>(0), "header");
  if (ident.magic[0] != 0x7f || ident.magic[1] != 'E' || ident.magic[2] != 'L' || ident.magic[3] != 'F') {
    return malformed("no ELF magic");
  }
  if (ident.elf_class != 1 && ident.elf_class != 2) {
    return malformed("class " + std::to_string(ident.elf_class) + ", expected 1 or 2");
  }
  Layout layout;
  layout.is64 = ident.elf_class == 2;
  layout.little_endian = ident.data != 2;
  layout.type = ident.type;
  layout.machine = ident.machine;
  layout.os_abi = ident.os_abi;
  layout.abi_version = ident.abi_version;
  if (!layout.little_endian) {
    const auto swap = [](std::uint16_t v) { return static_cast<std::uint16_t>(v << 8 | v >> 8); };
    layout.type = swap(layout.type);
    layout.machine = swap(layout.machine);
    return layout;
  }
  std::uint64_t table = 0;
  if (layout.is64) {
    GPUWAY_TRY_ASSIGN(table, reader.number<std::uint64_t>(32), "header");
  } else {
    GPUWAY_TRY_ASSIGN(table, reader.number<std::uint32_t>(28), "header");
  }
  GPUWAY_TRY_ASSIGN(const auto entry, reader.number<std::uint16_t>(layout.is64 ? 54 : 42), "header");
  GPUWAY_TRY_ASSIGN(const std::uint64_t count, reader.number<std::uint16_t>(layout.is64 ? 56 : 44), "header");
  if (count == 0) return layout;
  if (entry != (layout.is64 ? 56 : 32)) {
    return malformed("program header entry of " + std::to_string(entry) + " bytes, expected " + (layout.is64 ? "56" : "32"));
  }
  if (count > kMaxSegments) {
    return malformed(std::to_string(count) + " program headers, limit " + std::to_string(kMaxSegments));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = i * entry;
    if (table > reader.size() || at > reader.size() - table) {
      return malformed("program header " + std::to_string(i) + " at offset " + std::to_string(table) + " + " +
                       std::to_string(at) + ", file has " + std::to_string(reader.size()) + " bytes");
    }
    GPUWAY_TRY_ASSIGN(const auto segment, read_segment(reader, table + at, layout.is64), "program header " + std::to_string(i));
    layout.segments.push_back(segment);
  }
  auto status = read_dynamic(reader, layout);
  if (!status) {
    // A file that is cut off keeps its program headers; the loader maps it and dies, so what is left still counts.
    bool cut_off = false;
    for (const auto& segment : layout.segments) {
      const bool beyond = segment.offset > reader.size() || segment.file_size > reader.size() - segment.offset;
      cut_off = cut_off || (segment.type == kPtLoad && beyond);
    }
    if (!cut_off) return in_frame(status.take_error(), "dynamic table");
    layout.dynamic.clear();
  }
  return layout;
}

}  // namespace gpuway::elf
