// Everything that reads an ELF file: summary, symbols, GPU code, and the loader's cache.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "think/formats/elf.h"
#include "think/formats/elf_symbols.h"
#include "think/formats/fatbin.h"
#include "think/formats/ld_so_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const gpuway::ByteView bytes(std::string_view(reinterpret_cast<const char*>(data), size));
  const gpuway::MemorySource source(bytes);
  static_cast<void>(gpuway::classify_elf(source));
  static_cast<void>(gpuway::summarize_gpu_code(source));
  static_cast<void>(gpuway::parse_ld_so_cache(bytes, 62));
  if (const auto symbols = gpuway::ElfSymbols::read(bytes)) {
    for (const auto& reference : symbols->references()) static_cast<void>(symbols->defines(reference));
  }
  return 0;
}
