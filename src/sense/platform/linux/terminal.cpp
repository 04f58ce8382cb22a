#include "sense/platform/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace gpuway {

void prepare_process() {
  for (const int stream : {0, 1, 2}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number is the closed one, as those below it are open. Each is opened the wrong way round: reading
    // from stdin and writing to the others fails, as it would if they were closed.
    if (::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

struct StandardStreams::Content {};

StandardStreams::StandardStreams() { std::ios::sync_with_stdio(false); }
StandardStreams::~StandardStreams() = default;

std::ostream& StandardStreams::out() { return std::cout; }
std::ostream& StandardStreams::err() { return std::cerr; }
std::size_t StandardStreams::read_in(char* bytes, std::size_t size) {
  for (;;) {
    const auto got = ::read(0, bytes, size);
    if (got < 0 && errno == EINTR) continue;
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }
}
bool StandardStreams::out_is_terminal() const { return ::isatty(1) == 1; }
bool StandardStreams::err_is_terminal() const { return ::isatty(2) == 1; }

std::size_t StandardStreams::width() const {
  struct winsize size{};
  if (::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 80;
}

std::string system_language() { return {}; }

Status make_folder(const std::string& path) {
  for (auto slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const auto part = path.substr(0, slash);
    if (!part.empty() && ::mkdir(part.c_str(), 0777) != 0 && errno != EEXIST) {
      return make_error(errno == EACCES || errno == EPERM || errno == EROFS ? ErrorCode::access_denied : ErrorCode::io_error,
                        "make folder: " + std::string(std::strerror(errno)));
    }
    if (slash == std::string::npos) return Done{};
  }
}

Status replace_file(const std::string& path, const std::string& content) {
  const auto fault = [&](const char* step) {
    const int number = errno;
    Error error = make_error(number == EACCES || number == EPERM || number == EROFS ? ErrorCode::access_denied
                             : number == ENOENT || number == ENOTDIR                ? ErrorCode::not_found
                                                                                    : ErrorCode::io_error,
                             std::string(step) + ": " + std::strerror(number));
    error.system = number;
    return error;
  };
  const auto temporary = path + ".part" + std::to_string(::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return fault("create");
  std::size_t written = 0;
  while (written < content.size()) {
    const auto got = ::write(file, content.data() + written, content.size() - written);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      auto error = fault("write");
      ::close(file);
      ::unlink(temporary.c_str());
      return error;
    }
    written += static_cast<std::size_t>(got);
  }
  if (::fsync(file) != 0 || ::close(file) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0) {
    auto error = fault("replace");
    ::unlink(temporary.c_str());
    return error;
  }
  return Done{};
}

}  // namespace gpuway
