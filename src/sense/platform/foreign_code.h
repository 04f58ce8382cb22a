#pragma once

#include <string>

namespace gpuway {

/// Before a child of ours runs code that is not ours: stdout leads nowhere (what a library prints there must not be
/// taken for an answer), a crash leaves no file and no window, nothing but the answers can be written.
void prepare_for_foreign_code();

/// Writes one line to the parent at once, so that a crash or a hang still tells how far it came. Ends this process when
/// nobody reads any more.
void answer_parent(const std::string& line);

/// Ends this process without exit handlers: a broken library's own may crash.
[[noreturn]] void leave_at_once(int code);

/// A library that stays loaded as long as this process.
class ForeignLibrary {
 public:
  /// Loads it by path or name, as frameworks load a driver; `why` says why it could not be.
  static ForeignLibrary load(const std::string& name, std::string& why);
  bool loaded() const { return handle_ != nullptr; }
  /// The file it came from, or empty.
  std::string path() const;
  /// The address of a symbol, or nullptr.
  void* symbol(const char* name) const;

 private:
  explicit ForeignLibrary(void* handle) : handle_(handle) {}
  void* handle_;
};

}  // namespace gpuway
