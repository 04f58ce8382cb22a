#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "think/formats/pep440_specifiers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto version = gpuway::parse_pep440(text);
  // A normal form is a version, and equal to itself.
  if (version) {
    const auto again = gpuway::parse_pep440(version->text());
    if (!again || gpuway::compare(*version, *again) != 0) __builtin_trap();
  }
  const auto cut = std::min(text.find(1), text.size());
  const auto specifiers = gpuway::parse_specifiers(text.substr(0, cut));
  if (specifiers) (void)gpuway::admits(*specifiers, text.substr(cut));
  return 0;
}
