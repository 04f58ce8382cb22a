#include "think/formats/ld_so_cache.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuway {
namespace {

constexpr std::string_view kOldMagic = "ld.so-1.7.0";
constexpr std::string_view kNewMagic = "glibc-ld.so.cache1.1";
constexpr std::uint64_t kHeader = 48, kEntry = 24, kOldHeader = 16, kOldEntry = 12;
constexpr std::uint32_t kExtensionMagic = 0xEAA42174;
constexpr std::uint64_t kMaxExtensions = 64, kMaxHwcaps = 64, kMaxText = 64 << 20;

Error malformed(std::string detail) { return make_error(ErrorCode::malformed, std::move(detail)); }

bool starts_with(ByteView bytes, std::uint64_t at, std::string_view text) {
  const auto part = bytes.part(at, text.size());
  return part && std::memcmp(part->data(), text.data(), text.size()) == 0;
}

// The `flags` value that the loader of a machine accepts (glibc sysdeps/generic/ldconfig.h).
std::uint32_t wanted_flags(std::uint16_t machine) {
  switch (machine) {
    case 62: return 0x0303;    // x86-64
    case 183: return 0x0A03;   // AArch64
    case 3: return 0x0003;     // i386
    default: return 0;
  }
}

// The sub-folder for some processors that an entry of before glibc 2.37 stands for, or nothing for one that no loader of
// today takes. Bits and names: glibc sysdeps/x86/dl-procinfo.h, dl-hwcap.h.
std::optional<std::string> legacy_folder(std::uint64_t hwcap, std::uint16_t machine) {
  constexpr std::uint16_t kX86_64 = 62;
  constexpr std::uint64_t kHaswell = std::uint64_t{1} << 50, kXeonPhi = std::uint64_t{1} << 51, kAvx512 = 4, kPlain = 2;
  constexpr std::pair<std::uint64_t, std::string_view> kParts[] = {
      {kHaswell, "haswell"}, {kXeonPhi, "xeon_phi"}, {kAvx512, "avx512_1"}, {kPlain, "x86_64"}};
  if (machine != kX86_64) return std::nullopt;
  std::string folder;
  for (const auto& [bit, name] : kParts) {
    if ((hwcap & bit) == 0) continue;
    if (!folder.empty()) folder += '/';
    folder += name;
    hwcap &= ~bit;
  }
  return hwcap == 0 ? std::optional(std::move(folder)) : std::nullopt;
}

struct Extension {
  std::string generator;
  std::vector<std::string> hwcaps;
};

Result<Extension> read_extension(ByteView bytes, std::uint64_t at) {
  Extension out;
  if (at == 0) return out;
  const auto magic = bytes.number<std::uint32_t>(at);
  const auto count = bytes.number<std::uint32_t>(at + 4);
  if (!magic || !count || *magic != kExtensionMagic) return malformed("no extension directory at offset " + std::to_string(at));
  if (*count > kMaxExtensions) {
    return malformed(std::to_string(*count) + " extension sections, limit " + std::to_string(kMaxExtensions));
  }
  for (std::uint32_t i = 0; i < *count; ++i) {
    struct Section {
      std::uint32_t tag, flags, offset, size;
    };
    const auto section = bytes.number<Section>(at + 8 + std::uint64_t{i} * sizeof(Section));
    const auto part = section ? bytes.part(section->offset, section->size) : std::nullopt;
    if (!part) return malformed("extension section " + std::to_string(i) + " does not lie in the file");
    if (section->tag == 0) {
      out.generator.assign(reinterpret_cast<const char*>(part->data()), part->size());
    } else if (section->tag == 1) {
      if (section->size / 4 > kMaxHwcaps) return malformed(std::to_string(section->size / 4) + " hwcaps, limit 64");
      for (std::uint64_t k = 0; k + 4 <= section->size; k += 4) {
        const auto name = bytes.c_string(*part->number<std::uint32_t>(k), 256);
        if (!name) return malformed("hwcap " + std::to_string(k / 4) + " has no text");
        out.hwcaps.emplace_back(*name);
      }
    }
  }
  return out;
}

}  // namespace

Result<LoaderCache> parse_ld_so_cache(ByteView file, std::uint16_t machine) {
  std::uint64_t start = 0;
  if (starts_with(file, 0, kOldMagic)) {
    const auto old_count = file.number<std::uint32_t>(12);
    if (!old_count || *old_count > file.size() / kOldEntry) return malformed("old table is larger than the file");
    start = (kOldHeader + *old_count * kOldEntry + 7) & ~std::uint64_t{7};
  }
  if (!starts_with(file, start, kNewMagic)) {
    return make_error(start == 0 ? ErrorCode::malformed : ErrorCode::unsupported, "no glibc-ld.so.cache1.1 table");
  }
  const auto bytes = *file.part(start, file.size() - start);
  const auto count = bytes.number<std::uint32_t>(20);
  const auto order = bytes.number<std::uint8_t>(28);
  const auto extension_at = bytes.number<std::uint32_t>(32);
  if (!count || !order || !extension_at || bytes.size() < kHeader) return malformed("header is cut off");
  if ((*order & 3) != 0 && (*order & 3) != 2) return make_error(ErrorCode::unsupported, "byte order " + std::to_string(*order));
  if (*count > (bytes.size() - kHeader) / kEntry) {
    return malformed(std::to_string(*count) + " entries do not fit into " + std::to_string(bytes.size()) + " bytes");
  }
  GPUWAY_TRY_ASSIGN(auto extension, read_extension(bytes, *extension_at));
  LoaderCache cache;
  cache.generator = std::move(extension.generator);
  const auto flags = wanted_flags(machine);
  std::uint64_t text = 0;
  for (std::uint32_t i = 0; i < *count; ++i) {
    struct Entry {
      std::uint32_t flags, key, value, os_version;
      std::uint64_t hwcap;
    };
    const auto entry = *bytes.number<Entry>(kHeader + i * kEntry);
    if (entry.flags != flags) continue;
    const auto soname = bytes.c_string(entry.key);
    const auto path = bytes.c_string(entry.value);
    if (!soname || !path) return malformed("entry " + std::to_string(i) + " points behind the file's strings");
    // ldconfig shares a string among few entries; a file that shares one among all would grow a thousandfold here.
    text += soname->size() + path->size();
    if (text > kMaxText) return make_error(ErrorCode::too_large, "more than " + std::to_string(kMaxText) + " bytes of names");
    std::string hwcap;
    if (entry.hwcap != 0) {
      // Bit 62 marks a glibc-hwcaps index; other values are of the scheme that glibc 2.37 dropped.
      const auto index = entry.hwcap & 0xFFFFFFFF;
      if ((entry.hwcap & (std::uint64_t{1} << 62)) != 0) {
        if (index >= extension.hwcaps.size()) continue;
        hwcap = extension.hwcaps[index];
      } else {
        auto folder = legacy_folder(entry.hwcap, machine);
        if (!folder) continue;
        hwcap = std::move(*folder);
      }
    }
    cache.entries.push_back({std::string(*soname), std::string(*path), std::move(hwcap)});
  }
  return cache;
}

}  // namespace gpuway
