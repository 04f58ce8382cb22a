#include "think/rules/gpu/gpu_presence.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

TEST(NvidiaPresence, a_machine_without_a_bus_has_no_gpu_but_an_image_tells_nothing) {
  Snapshot snapshot;
  snapshot.pci_gpus = Fact<std::vector<PciGpu>>::absent({});
  EXPECT_EQ(nvidia_presence(snapshot).state, GpuPresence::State::absent);
  snapshot.live = false;
  EXPECT_EQ(nvidia_presence(snapshot).state, GpuPresence::State::undetermined);
  snapshot.pci_gpus = Fact<std::vector<PciGpu>>::known({}, {});
  EXPECT_EQ(nvidia_presence(snapshot).state, GpuPresence::State::absent);
}

TEST(NvidiaPresence, a_bus_that_could_not_be_read_is_no_answer) {
  EXPECT_EQ(nvidia_presence(Snapshot()).state, GpuPresence::State::undetermined);
}

}  // namespace
}  // namespace gpuway
