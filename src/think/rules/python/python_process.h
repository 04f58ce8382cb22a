#pragma once

#include <string>

#include "think/loader/glibc/glibc_loader.h"
#include "think/rules/chain_builder.h"

namespace gpuway {

/// The replayed process of one environment's interpreter, as `python script.py` starts it in the current folder.
class PythonProcess {
 public:
  explicit PythonProcess(ChainBuilder& chain);

  GlibcLoader& loader() { return loader_; }
  /// How mapping the interpreter itself ended. `undetermined` while facts are missing.
  const LoadOutcome& start() const { return start_; }

  /// The object whose code opens extension modules: libpython when the interpreter is a small program around it.
  int importer() const { return importer_; }
  /// The object whose code runs ctypes' dlopen: the _ctypes extension, or the interpreter where it is built in.
  int ctypes();

  /// `import` of an extension module by its path.
  LoadOutcome import_extension(const std::string& path, bool global);
  /// ctypes.CDLL(name).
  LoadOutcome open_by_ctypes(const std::string& name, bool global);

 private:
  ChainBuilder& chain_;
  GlibcLoader loader_;
  LoadOutcome start_;
  int importer_ = GlibcLoader::kProgram;
  int ctypes_ = -1;
};

}  // namespace gpuway
