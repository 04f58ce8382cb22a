#include "think/formats/ld_so_cache.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const gpuway::ByteView bytes(std::string_view(reinterpret_cast<const char*>(data), size));
  for (const auto machine : {62U, 183U, 3U, 0U})
    (void)gpuway::parse_ld_so_cache(bytes, static_cast<std::uint16_t>(machine));
  return 0;
}
