#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "base/result.h"

namespace gpuway {

/// The first thing a process of ours does. A standard stream that is closed gets a place that leads nowhere, so that no
/// file opened later takes its number and receives what is meant for the user; the system shows no dialog for a fault
/// and takes no library of ours from the current folder.
void prepare_process();

/// stdin, stdout and stderr. What is written to them is UTF-8 with plain line feeds, on every system and wherever they lead; a
/// console of any code page shows it right and is left as it was found.
class StandardStreams {
 public:
  StandardStreams();
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  std::ostream& out();
  std::ostream& err();
  /// Reads at most `size` bytes of stdin, as they come and without any change; 0 at its end or when it cannot be read.
  std::size_t read_in(char* bytes, std::size_t size);
  /// Whether a person looks at it, and it understands colours and cursor movements.
  bool out_is_terminal() const;
  bool err_is_terminal() const;
  /// Columns of stdout; 80 when it is no terminal.
  std::size_t width() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// The language that the system speaks to this user ("zh-CN"), where the system keeps it elsewhere than in variables;
/// else empty.
std::string system_language();

/// Makes a folder and those above it. One that is there already is no error.
Status make_folder(const std::string& path);

/// Replaces a file as a whole: writes beside it, syncs, renames. On failure the old file stays.
Status replace_file(const std::string& path, const std::string& content);

}  // namespace gpuway
