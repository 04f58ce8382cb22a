#include "sense/platform/terminal.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <streambuf>
#include <vector>

#include "base/path.h"
#include "sense/platform/windows/native.h"

namespace gpuway {
namespace {

constexpr std::size_t kBufferBytes = 32 * 1024;

bool write_all(HANDLE handle, const char* bytes, std::size_t size) {
  while (size > 0) {
    DWORD written = 0;
    if (::WriteFile(handle, bytes, static_cast<DWORD>(size), &written, nullptr) == 0 || written == 0) return false;
    bytes += written;
    size -= written;
  }
  return true;
}

// How many bytes at the end of the text begin a character that is not whole yet.
std::size_t unfinished_tail(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) return 0;
    if (byte >= 0xC0) return (byte >= 0xF0 ? 4U : byte >= 0xE0 ? 3U : 2U) > back ? back : 0;
  }
  return 0;
}

/// Bytes to a file or pipe as they are, characters to a console as UTF-16, which no code page can spoil.
class HandleBuffer final : public std::streambuf {
 public:
  HandleBuffer(HANDLE handle, bool console) : handle_(handle), console_(console) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

 protected:
  int_type overflow(int_type next) override {
    if (!write_out(false)) return traits_type::eof();
    if (!traits_type::eq_int_type(next, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(next);
      pbump(1);
    }
    return traits_type::not_eof(next);
  }
  int sync() override { return write_out(true) ? 0 : -1; }

 private:
  bool write_out(bool all) {
    const std::string_view text(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    // A program that writes half a character and flushes wants it seen; a full buffer cuts where it must not.
    const auto kept = console_ && !all ? unfinished_tail(text) : 0;
    const auto ready = text.substr(0, text.size() - kept);
    const bool done = console_ ? write_console(ready) : write_all(handle_, ready.data(), ready.size());
    std::copy(text.end() - static_cast<std::ptrdiff_t>(kept), text.end(), buffer_.begin());
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    pbump(static_cast<int>(kept));
    return done;
  }
  bool write_console(std::string_view text) {
    const auto units = wide(text);
    constexpr std::size_t most = 8192;  // older consoles refuse more than 64 KiB at once
    for (std::size_t at = 0; at < units.size();) {
      auto count = std::min(most, units.size() - at);
      if (at + count < units.size() && (units[at + count] & 0xFC00) == 0xDC00) --count;
      DWORD written = 0;
      if (::WriteConsoleW(handle_, units.data() + at, static_cast<DWORD>(count), &written, nullptr) == 0 ||
          written == 0)
        return false;
      at += written;
    }
    return true;
  }

  HANDLE handle_;
  bool console_;
  std::array<char, kBufferBytes> buffer_{};
};

// Terminals that bring their own pseudo-terminals (mintty of Git and MSYS) are pipes with a name that says so.
bool is_named_terminal(HANDLE handle) {
  if (::GetFileType(handle) != FILE_TYPE_PIPE) return false;
  alignas(FILE_NAME_INFO) std::array<char, sizeof(FILE_NAME_INFO) + 2 * MAX_PATH> space{};
  auto* const info = reinterpret_cast<FILE_NAME_INFO*>(space.data());
  if (::GetFileInformationByHandleEx(handle, FileNameInfo, info, static_cast<DWORD>(space.size())) == 0) return false;
  const auto bytes = std::min<std::size_t>(info->FileNameLength, 2 * MAX_PATH);
  const auto name = narrow(std::wstring_view(info->FileName, bytes / sizeof(wchar_t)));
  return (name.starts_with("\\msys-") || name.starts_with("\\cygwin-")) && name.find("-pty") != std::string::npos;
}

/// One standard stream. A console's mode is set back when it goes.
class Stream {
 public:
  explicit Stream(DWORD number) : handle_(::GetStdHandle(number)) {
    is_console_ = ::GetConsoleMode(handle_, &mode_before_) != 0;
    is_terminal_ = is_console_ ? ::SetConsoleMode(handle_, mode_before_ | ENABLE_PROCESSED_OUTPUT |
                                                               ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0
                               : is_named_terminal(handle_);
    buffer_ = std::make_unique<HandleBuffer>(handle_, is_console_);
    stream_ = std::make_unique<std::ostream>(buffer_.get());
  }
  ~Stream() {
    stream_->flush();
    if (is_console_) ::SetConsoleMode(handle_, mode_before_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  std::ostream& stream() { return *stream_; }
  bool is_terminal() const { return is_terminal_; }
  HANDLE handle() const { return handle_; }

 private:
  HANDLE handle_;
  DWORD mode_before_ = 0;
  bool is_console_ = false, is_terminal_ = false;
  std::unique_ptr<HandleBuffer> buffer_;
  std::unique_ptr<std::ostream> stream_;
};

}  // namespace

void prepare_process() {
  ::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  ::SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_SYSTEM32);
}

struct StandardStreams::Content {
  Stream out{STD_OUTPUT_HANDLE}, err{STD_ERROR_HANDLE};
};

StandardStreams::StandardStreams() : content_(std::make_unique<Content>()) { content_->err.stream() << std::unitbuf; }
StandardStreams::~StandardStreams() = default;

std::ostream& StandardStreams::out() { return content_->out.stream(); }
std::ostream& StandardStreams::err() { return content_->err.stream(); }
std::size_t StandardStreams::read_in(char* bytes, std::size_t size) {
  DWORD got = 0;
  // The end of a pipe whose writer is gone is an error here.
  if (::ReadFile(::GetStdHandle(STD_INPUT_HANDLE), bytes, static_cast<DWORD>(size), &got, nullptr) == 0) return 0;
  return got;
}
bool StandardStreams::out_is_terminal() const { return content_->out.is_terminal(); }
bool StandardStreams::err_is_terminal() const { return content_->err.is_terminal(); }

std::size_t StandardStreams::width() const {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (::GetConsoleScreenBufferInfo(content_->out.handle(), &info) == 0) return 80;
  // The last column stays free: a console without delayed wrapping goes to the next line by itself after it.
  const int columns = info.srWindow.Right - info.srWindow.Left;
  return columns >= 20 ? static_cast<std::size_t>(columns) : 80;
}

std::string system_language() {
  ULONG count = 0, units = 64;
  wchar_t names[64] = {};
  if (::GetUserPreferredUILanguages(MUI_LANGUAGE_NAME, &count, names, &units) == 0 || count == 0) return {};
  return narrow(names);  // the first of the list
}

Status make_folder(const std::string& path) {
  // The drive itself is there: C:/ has its slash at 2.
  for (auto slash = path.find('/', 3);; slash = path.find('/', slash + 1)) {
    GPUWAY_TRY_ASSIGN(const auto native, native_path(path.substr(0, slash)));
    if (::CreateDirectoryW(native.c_str(), nullptr) == 0 && ::GetLastError() != ERROR_ALREADY_EXISTS) return windows_error(::GetLastError(), "make folder");
    if (slash == std::string::npos) return Done{};
  }
}

Status replace_file(const std::string& path, const std::string& content) {
  GPUWAY_TRY_ASSIGN(const auto native, native_path(path));
  const auto temporary = native + L".part" + std::to_wstring(::GetCurrentProcessId());
  Handle file(::CreateFileW(temporary.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file) return windows_error(::GetLastError(), "create");
  const auto give_up = [&](const char* step) {
    auto error = windows_error(::GetLastError(), step);
    file.close();
    ::DeleteFileW(temporary.c_str());
    return error;
  };
  if (!write_all(file.get(), content.data(), content.size())) return give_up("write");
  if (::FlushFileBuffers(file.get()) == 0) return give_up("sync");
  file.close();
  if (::MoveFileExW(temporary.c_str(), native.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) == 0)
    return give_up("replace");
  return Done{};
}

}  // namespace gpuway
