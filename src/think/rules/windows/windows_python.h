#pragma once

#include <string>

#include "think/loader/windows/windows_loader.h"
#include "think/rules/chain_builder.h"

namespace gpuway {

/// The replayed process of one environment's interpreter on Windows, as `python script.py` starts it in the current folder.
/// A venv's python.exe only starts the one that it was made from: that one's folder is the application folder.
class WindowsPython {
 public:
  explicit WindowsPython(ChainBuilder& chain);

  WindowsLoader& loader() { return loader_; }
  /// How mapping the interpreter itself ended.
  const DllOutcome& start() const { return start_; }

  /// `import` of an extension module by its path: since 3.8 with search flags and so without PATH, before with PATH
  /// (CPython, Python/dynload_win.c).
  DllOutcome import_extension(const std::string& path);
  /// ctypes.CDLL(name): since 3.8 with search flags (CPython, Lib/ctypes/__init__.py).
  DllOutcome open_by_ctypes(const std::string& name);
  /// Whether extension modules are looked up without PATH.
  bool has_search_flags() const { return search_flags_; }

 private:
  bool search_flags_;
  WindowsLoader loader_;
  DllOutcome start_;
};

}  // namespace gpuway
