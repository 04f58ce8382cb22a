// A Snapshot that somebody sent: reading, judging and showing it. What can be read is written and read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "say/messages/messages.h"
#include "say/render/json.h"
#include "say/render/text.h"
#include "think/model/snapshot_json.h"
#include "think/rules/judge.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto snapshot = gpuway::snapshot_from_json(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!snapshot) return 0;
  const auto written = gpuway::snapshot_to_json(*snapshot);
  const auto again = gpuway::snapshot_from_json(written);
  if (!again || gpuway::snapshot_to_json(*again) != written) std::abort();
  gpuway::Wants wants;
  const auto answer = gpuway::judge(*snapshot, {}, wants);
  if (!gpuway::is_utf8(gpuway::render_check_json(answer, *snapshot, "0", "0"))) std::abort();
  const gpuway::Messages messages("en");
  gpuway::TextOptions options;
  options.all = options.verbose = true;
  const auto text = gpuway::render_check_text(answer, *snapshot, messages, options);
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F) std::abort();
  }
  return 0;
}
