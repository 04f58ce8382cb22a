#include "host_contract/contract.h"

namespace gpuway {
namespace {

// Run with the double in the system's folder (see run.py); DXGI itself needs a display.
class Graphics : public Contract {
 protected:
  auto ask(const std::string& behaviour) {
    set_variable("GPUWAY_DOUBLE", behaviour);
    return make_live_host()->graphics_adapters();
  }
  bool without_double() {
    return make_live_host()->environment().find("GPUWAY_DXGI_DOUBLE") == make_live_host()->environment().end();
  }
};

TEST_F(Graphics, adapters_are_listed_in_order) {
  if (without_double()) GTEST_SKIP() << "no double of dxgi.dll";
  const auto adapters = ask("");
  ASSERT_TRUE(adapters) << adapters.error().text();
  ASSERT_EQ(adapters->size(), 2U);
  const auto& first = adapters->front();
  EXPECT_EQ(first.name, "NVIDIA Double 漢");
  EXPECT_EQ(first.vendor, 0x10DEU);
  EXPECT_EQ(first.device, 0x2504U);
  EXPECT_EQ(first.dedicated_memory, std::uint64_t{12} << 30);
  EXPECT_EQ(first.luid, "00000001:0000d3f1");
  EXPECT_EQ(first.driver_version, "32.0.15.6636");
  EXPECT_FALSE(first.software);
  EXPECT_TRUE(adapters->back().software);
  EXPECT_EQ(adapters->back().driver_version, "");
}

TEST_F(Graphics, a_fault_of_the_interface_is_an_error) {
  if (without_double()) GTEST_SKIP() << "no double of dxgi.dll";
  EXPECT_EQ(ask("refuse").error().text(), "tool-failed: CreateDXGIFactory1: 0x887a0004");
  EXPECT_EQ(ask("crash").error().text(), "crashed: exception 0xC0000005");
}

}  // namespace
}  // namespace gpuway
