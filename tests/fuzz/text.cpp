// What is shown and stored of bytes that anybody may have chosen.
#include "base/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "say/render/columns.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto stored = gpuway::to_json_text(bytes);
  if (!gpuway::is_utf8(stored) || gpuway::from_json_text(stored) != bytes) std::abort();
  const auto shown = gpuway::printable(bytes);
  const bool control =
      std::any_of(shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (control || !gpuway::is_utf8(shown) || gpuway::printable(shown) != shown) std::abort();
  const auto escaped = gpuway::escape_json_controls(stored);
  if (!gpuway::is_utf8(escaped) || gpuway::escape_json_controls(escaped) != escaped) std::abort();
  for (const auto& line : gpuway::wrap(shown, 40)) {
    if (line.find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
