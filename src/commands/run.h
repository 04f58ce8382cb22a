#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/result.h"
#include "sense/host/host.h"

namespace gpuway {

/// What the program may know of the terminal it writes to.
struct Terminal {
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t width = 80;   // columns of stdout
  bool no_colour = false;   // NO_COLOR or TERM=dumb
  std::string language;     // what the system itself speaks ("zh-CN"), where no variable says; may be empty
};

/// The one thing the program writes besides its streams: files that the user named, or in a folder that the user named. Each
/// is replaced as a whole or not at all.
class FileWriter {
 public:
  virtual ~FileWriter() = default;
  /// Makes a folder and those above it; one that is there is left as it is.
  virtual Status make_folder(const std::string& path) = 0;
  virtual Status replace_file(const std::string& path, const std::string& content) = 0;
};

/// What the commands work with.
struct Program {
  const Host& host;
  FileWriter& files;
  std::ostream& out;
  std::ostream& err;
  Terminal terminal;
  /// Reads at most `size` bytes of stdin, as they come; 0 at its end.
  std::function<std::size_t(char* bytes, std::size_t size)> read_in = {};
};

enum ExitCode : int { kFine = 0, kFindings = 1, kUsage = 2, kUnfinished = 3 };

/// Runs one command line (without the program's name) and returns the exit code.
int run_gpuway(const std::vector<std::string>& arguments, Program& program);

}  // namespace gpuway
