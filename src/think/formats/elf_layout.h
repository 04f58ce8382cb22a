#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "think/formats/block_reader.h"

namespace gpuway::elf {

inline constexpr std::uint32_t kPtLoad = 1, kPtDynamic = 2, kPtInterp = 3, kPtGnuStack = 0x6474e551;
inline constexpr std::uint32_t kPfExecute = 1;
inline constexpr std::uint16_t kShared = 3;   // ET_DYN

enum Tag : std::uint64_t {
  kNull = 0,
  kNeeded = 1,
  kHash = 4,
  kStrtab = 5,
  kSymtab = 6,
  kStrsz = 10,
  kSoname = 14,
  kRpath = 15,
  kRunpath = 29,
  kFlags = 30,
  kGnuHash = 0x6ffffef5,
  kVersym = 0x6ffffff0,
  kFlags1 = 0x6ffffffb,
  kVerdef = 0x6ffffffc,
  kVerdefnum = 0x6ffffffd,
  kVerneed = 0x6ffffffe,
  kVerneednum = 0x6fffffff,
};

struct Segment {
  std::uint32_t type = 0, flags = 0;
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0;
};

struct DynamicEntry {
  std::uint64_t tag = 0, value = 0;
};

/// Header, program headers and dynamic table of one file.
struct Layout {
  bool is64 = true, little_endian = true;
  std::uint16_t type = 0, machine = 0;
  std::uint8_t os_abi = 0, abi_version = 0;
  std::vector<Segment> segments;
  std::vector<DynamicEntry> dynamic;   // up to DT_NULL

  /// File offset of a virtual address, or malformed when no PT_LOAD holds it in the file.
  Result<std::uint64_t> offset_of(std::uint64_t address) const;
  /// The last value of a tag, as glibc takes it; nothing when the tag is not there.
  std::optional<std::uint64_t> value(std::uint64_t tag) const;
};

/// Reads them; bounded (program headers 4,096, dynamic entries 65,536).
Result<Layout> read_layout(BlockReader& reader);

}  // namespace gpuway::elf
