#include "base/error.h"

#include <array>
#include <utility>

namespace gpuway {
namespace {

constexpr std::array<std::pair<ErrorCode, std::string_view>, 12> kWords = {{
    {ErrorCode::not_found, "not-found"},
    {ErrorCode::access_denied, "access-denied"},
    {ErrorCode::malformed, "malformed"},
    {ErrorCode::unsupported, "unsupported"},
    {ErrorCode::too_large, "too-large"},
    {ErrorCode::timed_out, "timed-out"},
    {ErrorCode::crashed, "crashed"},
    {ErrorCode::tool_failed, "tool-failed"},
    {ErrorCode::not_looked, "not-looked"},
    {ErrorCode::cancelled, "cancelled"},
    {ErrorCode::io_error, "io-error"},
    {ErrorCode::internal, "internal"},
}};

}  // namespace

std::string_view to_word(ErrorCode code) {
  for (const auto& [value, word] : kWords) {
    if (value == code) return word;
  }
  return "internal";
}

std::optional<ErrorCode> error_code_from_word(std::string_view word) {
  for (const auto& [value, known] : kWords) {
    if (known == word) return value;
  }
  return std::nullopt;
}

std::string Error::text() const {
  std::string out;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!out.empty()) out += '/';
    out += *frame;
  }
  if (!out.empty()) out += ": ";
  out += to_word(code);
  if (!detail.empty()) {
    out += ": ";
    out += detail;
  }
  return out;
}

}  // namespace gpuway
