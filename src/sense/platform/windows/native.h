#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "sense/platform/windows/windows_api.h"

namespace gpuway {

std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

/// A path of gpuway as the system takes it: "\\?\C:\Users\ada", so that neither its length nor a name such as "nul" or
/// "a." matters. A relative path is completed from the current folder. not_found for what can name no file here
/// ("/proc"); not_looked for a share of another machine, which would open a network connection.
Result<std::wstring> native_path(std::string_view path);

/// The system's error number as an Error: "open: error 5".
Error windows_error(unsigned long number, const std::string& what);

/// A handle that is closed when it goes.
class Handle {
 public:
  Handle() = default;
  explicit Handle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  Handle(Handle&& other) noexcept : handle_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      close();
      handle_ = other.release();
    }
    return *this;
  }
  ~Handle() { close(); }
  HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  HANDLE release() {
    HANDLE handle = handle_;
    handle_ = nullptr;
    return handle;
  }
  void close() {
    if (handle_ != nullptr) ::CloseHandle(release());
  }

 private:
  HANDLE handle_ = nullptr;
};

}  // namespace gpuway
