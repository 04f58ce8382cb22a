#include "think/formats/pe_layout.h"

#include <algorithm>

#include "base/text.h"

namespace gpuway::pe {
namespace {

constexpr std::uint16_t kMagic32 = 0x10B, kMagic64 = 0x20B;
// The format's own limit for images (Windows loads no more than 96).
constexpr std::uint64_t kMaxSections = 96;
constexpr std::uint64_t kFileHeader = 20, kSectionHeader = 40;

struct Heads {
  Layout layout;
  std::uint64_t optional = 0, optional_size = 0, sections = 0, section_count = 0;
  std::uint64_t strings = 0;   // of the COFF symbol table; 0 without one
};

Result<Heads> read_heads(BlockReader& reader) {
  GPUWAY_TRY_ASSIGN(const auto dos, reader.number<std::uint16_t>(0));
  if (dos != 0x5A4D) return make_error(ErrorCode::malformed, "no MZ at 0");
  GPUWAY_TRY_ASSIGN(const auto at, reader.number<std::uint32_t>(0x3C));
  GPUWAY_TRY_ASSIGN(const auto signature, reader.number<std::uint32_t>(at));
  if (signature != 0x00004550) return make_error(ErrorCode::malformed, "no PE signature at " + std::to_string(at));
  const std::uint64_t file = std::uint64_t{at} + 4;
  Heads heads;
  GPUWAY_TRY_ASSIGN(heads.layout.machine, reader.number<std::uint16_t>(file));
  GPUWAY_TRY_ASSIGN(const auto sections, reader.number<std::uint16_t>(file + 2));
  GPUWAY_TRY_ASSIGN(const auto symbols, reader.number<std::uint32_t>(file + 8));
  GPUWAY_TRY_ASSIGN(const auto symbol_count, reader.number<std::uint32_t>(file + 12));
  GPUWAY_TRY_ASSIGN(const auto optional_size, reader.number<std::uint16_t>(file + 16));
  GPUWAY_TRY_ASSIGN(heads.layout.characteristics, reader.number<std::uint16_t>(file + 18));
  heads.optional = file + kFileHeader;
  heads.optional_size = optional_size;
  heads.sections = heads.optional + optional_size;
  heads.section_count = sections;
  if (symbols != 0) heads.strings = symbols + std::uint64_t{18} * symbol_count;
  GPUWAY_TRY_ASSIGN(const auto magic, reader.number<std::uint16_t>(heads.optional));
  if (magic != kMagic32 && magic != kMagic64) {
    return make_error(ErrorCode::malformed, "optional header magic " + std::to_string(magic) + ", expected 267 or 523");
  }
  heads.layout.is_64 = magic == kMagic64;
  return heads;
}

// "/4" is a place in the string table behind the symbols (GNU ld writes long names so).
Result<std::string> section_name(BlockReader& reader, const Heads& heads, std::uint64_t at) {
  char raw[8];
  GPUWAY_TRY(reader.copy(at, raw, sizeof(raw)));
  const auto* end = std::find(raw, raw + sizeof(raw), '\0');
  std::string name(static_cast<const char*>(raw), end);
  if (heads.strings == 0 || name.size() < 2 || name[0] != '/') return name;
  const auto place = to_integer(std::string_view(name).substr(1));
  if (!place || *place < 0) return name;
  auto full = reader.c_string(heads.strings + static_cast<std::uint64_t>(*place), reader.size(), 256);
  return full ? full.take() : name;
}

}  // namespace

Result<Layout> read_header(BlockReader& reader) {
  GPUWAY_TRY_ASSIGN(auto heads, read_heads(reader));
  return std::move(heads.layout);
}

Result<Layout> read_layout(BlockReader& reader) {
  GPUWAY_TRY_ASSIGN(auto heads, read_heads(reader));
  auto& layout = heads.layout;
  const auto optional = heads.optional;
  if (layout.is_64) {
    GPUWAY_TRY_ASSIGN(layout.image_base, reader.number<std::uint64_t>(optional + 24));
  } else {
    GPUWAY_TRY_ASSIGN(layout.image_base, reader.number<std::uint32_t>(optional + 28));
  }
  GPUWAY_TRY_ASSIGN(layout.header_size, reader.number<std::uint32_t>(optional + 60));
  GPUWAY_TRY_ASSIGN(layout.dll_characteristics, reader.number<std::uint16_t>(optional + 70));
  const std::uint64_t first = layout.is_64 ? 112 : 96;
  GPUWAY_TRY_ASSIGN(const auto claimed, reader.number<std::uint32_t>(optional + first - 4));
  const auto room = heads.optional_size > first ? (heads.optional_size - first) / sizeof(Range) : 0;
  const auto count = std::min<std::uint64_t>({claimed, room, kDirectories});
  for (std::uint64_t i = 0; i < count; ++i) {
    GPUWAY_TRY_ASSIGN(layout.directories[i], reader.number<Range>(optional + first + i * sizeof(Range)), "data directory");
  }
  if (heads.section_count > kMaxSections) {
    return make_error(ErrorCode::malformed, std::to_string(heads.section_count) + " sections, limit " + std::to_string(kMaxSections));
  }
  for (std::uint64_t i = 0; i < heads.section_count; ++i) {
    const auto at = heads.sections + i * kSectionHeader;
    Section section;
    GPUWAY_TRY_ASSIGN(section.name, section_name(reader, heads, at), "section");
    GPUWAY_TRY_ASSIGN(section.virtual_size, reader.number<std::uint32_t>(at + 8));
    GPUWAY_TRY_ASSIGN(section.address, reader.number<std::uint32_t>(at + 12));
    GPUWAY_TRY_ASSIGN(section.size, reader.number<std::uint32_t>(at + 16));
    GPUWAY_TRY_ASSIGN(section.offset, reader.number<std::uint32_t>(at + 20));
    layout.sections.push_back(std::move(section));
  }
  return std::move(layout);
}

Result<std::uint64_t> Layout::offset_of(std::uint64_t address) const {
  if (address < header_size) return address;
  for (const auto& section : sections) {
    if (address < section.address || address - section.address >= section.size) continue;
    return section.offset + (address - section.address);
  }
  return make_error(ErrorCode::malformed, "address " + std::to_string(address) + " lies in no section");
}

std::uint64_t Layout::load_end() const {
  std::uint64_t end = 0;
  for (const auto& section : sections) {
    if (section.size > 0) end = std::max(end, std::uint64_t{section.offset} + section.size);
  }
  return end;
}

}  // namespace gpuway::pe
