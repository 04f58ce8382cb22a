#include "think/rules/driver/driver_support.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

class DriverSupport : public testing::Test {
 protected:
  // The finding for a GPU of this PCI id under this driver, or "".
  std::string id(std::uint16_t device, const std::string& version, const std::string& flavour) {
    PciGpu gpu;
    gpu.address = "0000:01:00.0";
    gpu.vendor = 0x10de;
    gpu.device = device;
    snapshot_.pci_gpus = Fact<std::vector<PciGpu>>::known({gpu}, {});
    snapshot_.driver.module_version = Fact<std::string>::known(version, {});
    snapshot_.driver.module_flavour = Fact<std::string>::known(flavour, {});
    ChainBuilder chain(snapshot_, environment_, "tensorflow", wants_);
    const bool found = judge_driver_support(chain, nvidia_presence(snapshot_), Effect::no_gpu);
    std::vector<Finding> findings;
    chain.finish(0, findings);
    EXPECT_EQ(found, !findings.empty());
    return findings.empty() ? std::string() : findings.front().id;
  }
  static constexpr std::uint16_t kGtx780 = 0x1004, kRtx5090 = 0x2b85, kRtx3060 = 0x2503;

  Snapshot snapshot_;
  PythonEnvironment environment_;
  Wants wants_;
};

TEST_F(DriverSupport, a_kepler_card_ended_with_branch_470) {
  EXPECT_EQ(id(kGtx780, "550.54.14", "proprietary"), "driver-dropped-old-gpu");
  EXPECT_EQ(id(kGtx780, "470.256.02", "proprietary"), "");
}

TEST_F(DriverSupport, a_blackwell_card_needs_the_open_module) {
  EXPECT_EQ(id(kRtx5090, "570.86.16", "proprietary"), "open-kernel-module-required");
  EXPECT_EQ(id(kRtx5090, "570.86.16", "open"), "");
}

TEST_F(DriverSupport, an_ampere_card_runs_with_either_module) {
  EXPECT_EQ(id(kRtx3060, "570.86.16", "proprietary"), "");
  EXPECT_EQ(id(kRtx3060, "570.86.16", "open"), "");
}

TEST_F(DriverSupport, a_card_that_no_table_knows_is_not_judged) { EXPECT_EQ(id(0xfffe, "999.1", "proprietary"), ""); }

}  // namespace
}  // namespace gpuway
