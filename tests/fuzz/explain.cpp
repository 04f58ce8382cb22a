// A log from anywhere: what is said refers to its lines, and the size of the pieces in which it comes changes nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "say/render/explain.h"
#include "think/explain/explain.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  gpuway::LogReader whole, pieces;
  whole.add(bytes);
  for (std::size_t at = 0; at < size; at += 7) pieces.add(bytes.substr(at, 7));
  const auto answer = whole.finish();
  for (const auto& cause : answer.causes) {
    if (cause.lines.empty() || cause.lines.back() > answer.lines || cause.weight < 1 || cause.weight > 99) std::abort();
  }
  if (answer.decided && answer.causes.empty()) std::abort();
  const auto text = gpuway::render_explain_json(answer, "0", "2026-01-01");
  if (text != gpuway::render_explain_json(pieces.finish(), "0", "2026-01-01")) std::abort();
  const auto shown = gpuway::render_explain_text(answer, gpuway::Messages("zh"), {});
  if (!gpuway::is_utf8(text) || !gpuway::is_utf8(shown)) std::abort();
  return 0;
}
