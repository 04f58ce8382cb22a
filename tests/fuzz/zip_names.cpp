#include <cstddef>
#include <cstdint>
#include <string_view>

#include "think/formats/zip_names.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)gpuway::read_zip_names(gpuway::MemorySource(gpuway::ByteView(text)));
  return 0;
}
