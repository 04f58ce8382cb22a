#pragma once

#include <string>
#include <string_view>

namespace gpuway {

/// What Keras takes from keras.json when it is imported.
struct KerasConfig {
  std::string backend = "tensorflow";  // "null" and the like when the file gives no text
  bool names_backend = false;
  std::string refused, value;  // the entry whose value makes the import raise, or empty
};

/// Reads it as keras/src/backend/config.py does: a file that is no JSON counts as empty; one that is no object, or an
/// entry with a value that Keras does not take, makes the import raise.
KerasConfig parse_keras_config(std::string_view text);

}  // namespace gpuway
