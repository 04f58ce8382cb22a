#include "think/formats/keras_config.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

// What Keras 3.15.1 does with each file was read from the real one (the oracle's keras family writes such files).
TEST(KerasConfig, names_the_backend) {
  const auto config = parse_keras_config("{\"floatx\": \"float32\", \"epsilon\": 1e-07, \"backend\": \"torch\"}");
  EXPECT_TRUE(config.names_backend);
  EXPECT_EQ(config.backend, "torch");
  EXPECT_EQ(config.refused, "");
}

TEST(KerasConfig, a_file_that_is_no_json_counts_as_empty) {
  for (const auto* text :
       {"", "{'backend': 'jax'}", "{\"backend\": \"jax\"", "\xef\xbb\xbf{\"backend\": \"jax\"}", "\xff"}) {
    const auto config = parse_keras_config(text);
    EXPECT_FALSE(config.names_backend) << text;
    EXPECT_EQ(config.backend, "tensorflow") << text;
    EXPECT_EQ(config.refused, "") << text;
  }
}

TEST(KerasConfig, json_that_is_no_object_is_refused) {
  EXPECT_EQ(parse_keras_config("[]").refused, "keras.json");
  EXPECT_EQ(parse_keras_config("null").refused, "keras.json");
}

TEST(KerasConfig, an_entry_with_a_value_that_keras_does_not_take_is_refused) {
  EXPECT_EQ(parse_keras_config("{\"floatx\": \"bfloat16\"}").refused, "floatx");
  EXPECT_EQ(parse_keras_config("{\"epsilon\": 1}").refused, "epsilon");
  EXPECT_EQ(parse_keras_config("{\"image_data_format\": \"th\"}").refused, "image_data_format");
}

TEST(KerasConfig, a_long_value_is_cut) {
  EXPECT_LE(parse_keras_config("{\"floatx\": \"" + std::string(5000, 'x') + "\"}").value.size(), 80U);
}

}  // namespace
}  // namespace gpuway
