// The small JSON files of others: direct_url.json, kernel.json, VS Code's settings.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "think/formats/python_records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)gpuway::parse_direct_url(text);
  (void)gpuway::parse_kernel_interpreter(text);
  (void)gpuway::parse_vscode_interpreter(text);
  return 0;
}
