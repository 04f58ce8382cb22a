#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "think/formats/python_records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)gpuway::parse_record(text).has_value();
  (void)gpuway::parse_direct_url(text).has_value();
  return 0;
}
