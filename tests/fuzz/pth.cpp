#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "think/formats/python_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)gpuway::parse_pth(text, true);
  (void)gpuway::parse_pth(text, false);
  return 0;
}
