#include "think/model/python_env.h"

namespace gpuway {

std::string python_label(const PythonEnvironment& environment) {
  const auto version = environment.version.value_or("");
  if (version.empty()) return {};
  return (environment.implementation == "pypy" ? "PyPy " : "") + version + (environment.free_threaded ? "t" : "");
}

}  // namespace gpuway
