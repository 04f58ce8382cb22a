#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// What kind of fault an Error is. The words are part of the output (`probe/...: malformed: ...`) and never change.
/// - not_found: the thing does not exist (ENOENT, ENOTDIR, a dangling link). Not for "exists but cannot be read".
/// - access_denied: it exists, or may exist, and this user may not look (EACCES, EPERM).
/// - malformed: bytes were read and break their own format. The detail names entry, value and limit.
/// - unsupported: well formed, but of a kind this program does not handle (another format version, a FIFO, no such call).
/// - too_large: a limit of ours was reached before the end; what was read until then is dropped unless said otherwise.
/// - timed_out: a child process or a file system did not answer within its limit.
/// - crashed: a child process ended by a signal or without its answer.
/// - tool_failed: a program ran and reported failure by its exit code.
/// - not_looked: nobody has looked yet, or looking was not allowed here (another root, a saved Snapshot).
/// - cancelled: the user stopped it.
/// - io_error: the system failed in a way that is none of the above; `system` has the code.
/// - internal: a fault of this program that was caught before it did harm.
enum class ErrorCode : std::uint8_t {
  not_found,
  access_denied,
  malformed,
  unsupported,
  too_large,
  timed_out,
  crashed,
  tool_failed,
  not_looked,
  cancelled,
  io_error,
  internal,
};

/// The stable kebab-case word of a code.
std::string_view to_word(ErrorCode code);
/// The code of a word, or nothing for a word that is not one of ours.
std::optional<ErrorCode> error_code_from_word(std::string_view word);

/// An error as a value. `detail` is English and holds the numbers, not advice.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string detail;
  std::optional<int> system;        // errno as it came
  std::vector<std::string> frames;  // innermost first

  /// `outer/inner: malformed: detail`, the form shown to people and searched for.
  std::string text() const;
};

}  // namespace gpuway
