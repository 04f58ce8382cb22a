#pragma once

#include <string>

#include "think/rules/chain_builder.h"

namespace gpuway {

/// The backend that Keras takes, and where it is named.
struct KerasBackend {
  std::string name = "tensorflow";
  std::string file;            // keras.json
  bool by_variable = false;    // KERAS_BACKEND names it
  bool by_file = false;        // keras.json names it
  std::string refused, value;  // the entry of keras.json that makes the import raise, or empty
  bool pending = false;        // keras.json was not read
};

/// Keras 3 takes KERAS_BACKEND, then keras.json, then TensorFlow (keras/src/backend/config.py); Keras 2 knows only
/// TensorFlow. Both read the other entries of keras.json.
KerasBackend keras_backend(const ChainBuilder& chain);

}  // namespace gpuway
