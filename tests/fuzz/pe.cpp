// Everything that reads a PE image: summary, imports against exports (of itself and of a file cut in half), GPU code.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "think/formats/fatbin.h"
#include "think/formats/pe.h"
#include "think/formats/utf16.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const gpuway::ByteView bytes(text);
  const gpuway::MemorySource source(bytes);
  const auto view = gpuway::classify_pe(source);
  static_cast<void>(gpuway::summarize_gpu_code(source));
  static_cast<void>(gpuway::utf16le_to_utf8(text.substr(0, 4096)));
  const auto open = [&](const std::string& path) -> gpuway::Result<gpuway::ByteView> {
    return path == "half" ? gpuway::ByteView(text.substr(0, size / 2)) : bytes;
  };
  if (!view.pe) return 0;
  for (const auto& library : view.pe->imports) {
    for (const auto* exporter : {"whole", "half"}) {
      gpuway::ImportCheck question;
      question.importer = "whole";
      question.library = library;
      question.exporter = exporter;
      static_cast<void>(gpuway::run_import_check(question, open));
    }
    if (view.pe->imports.size() > 16) break;
  }
  return 0;
}
