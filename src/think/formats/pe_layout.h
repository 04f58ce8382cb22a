#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "think/formats/block_reader.h"

// Headers of PE images (PE32 and PE32+). Layout: Microsoft, "PE Format" (win32 desktop-src/Debug/pe-format.md).

namespace gpuway::pe {

enum Directory : std::size_t { kExport = 0, kImport = 1, kResource = 2, kLoadConfig = 10, kDelayImport = 13, kDirectories = 16 };

struct Section {
  std::string name;
  std::uint32_t address = 0, virtual_size = 0;   // in memory, relative to the image's base
  std::uint32_t offset = 0, size = 0;            // in the file
};

struct Range {
  std::uint32_t address = 0, size = 0;
};

struct Layout {
  std::uint16_t machine = 0, characteristics = 0, dll_characteristics = 0;
  bool is_64 = false;
  std::uint64_t image_base = 0;
  std::uint32_t header_size = 0;
  Range directories[kDirectories];
  std::vector<Section> sections;

  /// Where the bytes of an address (relative to the base) lie in the file; malformed when no section has it.
  Result<std::uint64_t> offset_of(std::uint64_t address) const;
  /// Greatest end of a section's bytes in the file.
  std::uint64_t load_end() const;
};

/// Fails with `malformed` when it is no PE image or its headers contradict the format.
Result<Layout> read_layout(BlockReader& reader);

/// What the file header alone says: machine and word size; for images whose tables cannot be read.
Result<Layout> read_header(BlockReader& reader);

}  // namespace gpuway::pe
