#pragma once

#include "think/rules/python/python_process.h"

namespace gpuway {

/// Judges the libraries in `tensorflow-plugins` folders beside TensorFlow, which every release from 2.5 on loads at the
/// end of its import: one that cannot be loaded fails the import. `opener` is the object whose code opens them. A DirectML
/// plug-in that loads makes the chain's flavour `directml` and has its device side judged.
void judge_tensorflow_plugins(ChainBuilder& chain, PythonProcess& process, int opener);

}  // namespace gpuway
