// What wsl.exe prints, and both settings files of WSL.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "think/formats/wsl_config.h"
#include "think/formats/wsl_output.h"
#include "think/knowledge/wsl_keys.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto text = gpuway::decode_wsl_output(bytes)) {
    if (!gpuway::is_utf8(*text)) std::abort();
    (void)gpuway::parse_wsl_version(*text);
    (void)gpuway::parse_wsl_status(*text);
    (void)gpuway::parse_wsl_list(*text);
    if (gpuway::wsl_fault_in(*text).size() > 200) std::abort();
  }
  (void)gpuway::parse_wsl_list(bytes);
  for (const auto* file : {"wslconfig", "wsl.conf"}) {
    const auto config = gpuway::parse_wsl_config(bytes, file, gpuway::wsl_keys());
    for (const auto& setting : config.settings) {
      if (config.find(setting.key) == nullptr || setting.line < 1) std::abort();
    }
  }
  return 0;
}
