#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sense/host/fixture_host.h"
#include "sense/probes/system.h"

namespace gpuway {

/// A machine that consists of this one layer.
inline FixtureMachine machine_of(std::string_view json) {
  FixtureMachine machine;
  const auto added = machine.add_layer(json, {});
  EXPECT_TRUE(added) << (added ? "" : added.error().text());
  return machine;
}

}  // namespace gpuway
