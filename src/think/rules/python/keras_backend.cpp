#include "think/rules/python/keras_backend.h"

#include "base/path.h"
#include "think/formats/keras_config.h"
#include "think/knowledge/python_pins.h"

namespace gpuway {

KerasBackend keras_backend(const ChainBuilder& chain) {
  KerasBackend backend;
  const bool chooses = compare_versions(chain.chain.version, "3.dev0") >= 0;
  if (const auto* home = chain.variable("KERAS_HOME")) {
    backend.file = join_path(*home, "keras.json");
  } else if (!chain.snapshot().home_folder.empty()) {
    backend.file = join_path(chain.snapshot().home_folder, ".keras/keras.json");
  }
  if (!backend.file.empty()) {
    if (const auto* text = chain.text(backend.file)) {
      const auto config = parse_keras_config(*text);
      backend.refused = config.refused;
      backend.value = config.value;
      if (chooses && config.names_backend) {
        backend.by_file = true;
        backend.name = config.backend;
      }
    } else {
      backend.pending = chain.text_state(backend.file) == FactState::undetermined;
    }
  }
  const auto* variable = chain.variable("KERAS_BACKEND");
  if (chooses && variable != nullptr && !variable->empty()) {
    backend.by_variable = true;
    backend.by_file = false;
    backend.name = *variable;
  }
  return backend;
}

}  // namespace gpuway
