#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "think/formats/python_files.h"
#include "think/formats/wheel_tags.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)gpuway::parse_headers(text);
  (void)gpuway::headers_end(text);
  (void)gpuway::parse_distribution_folder(text);
  (void)gpuway::parse_egg_folder(text);
  (void)gpuway::extension_module(text, 3, 11, false);
  (void)gpuway::parse_wheel_name(text);
  return 0;
}
