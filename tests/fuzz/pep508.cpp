#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "think/formats/pep508_requirement.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto environment = gpuway::linux_marker_environment("3.11.7", "x86_64");
  if (const auto marker = gpuway::parse_marker(text)) (void)gpuway::evaluate(*marker, environment).has_value();
  if (const auto requirement = gpuway::parse_requirement(text))
    (void)gpuway::evaluate(requirement->marker, environment).has_value();
  return 0;
}
