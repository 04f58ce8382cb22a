#include "think/routes/paper_machine.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

RouteMachine read(std::string_view text) {
  const auto machine = machine_on_paper(text);
  EXPECT_TRUE(machine.has_value()) << text << ": " << (machine ? "" : machine.error().text());
  return machine ? *machine : RouteMachine{};
}

std::string fault_of(std::string_view text) {
  const auto machine = machine_on_paper(text);
  return machine ? "" : machine.error().detail;
}

TEST(PaperMachine, parts_come_in_any_order_and_case) {
  for (const auto* text : {"RTX 3060, driver 566.36, windows 11, python 3.11", "Python 3.11; WINDOWS 11; nvidia driver 566.36; NVIDIA GeForce RTX3060"}) {
    const auto machine = read(text);
    EXPECT_EQ(machine.system, "windows");
    EXPECT_EQ(machine.driver, "566.36");
    EXPECT_EQ(machine.pythons, (std::vector<std::string>{"3.11"}));
    ASSERT_EQ(machine.gpus.size(), 1U);
    EXPECT_EQ(machine.gpus[0].vendor, "nvidia");
    EXPECT_EQ(machine.gpus[0].major, 8);
    EXPECT_EQ(machine.gpus[0].minor, 6);
  }
}

TEST(PaperMachine, several_gpus_are_counted_and_none_is_a_fact) {
  EXPECT_EQ(read("2x RTX 4090, ubuntu 22.04").gpus.size(), 2U);
  EXPECT_EQ(read("4 \xc3\x97 A100, ubuntu 22.04").gpus.size(), 4U);
  EXPECT_TRUE(read("no gpu, windows 10").gpus_known);
  EXPECT_FALSE(read("windows 10").gpus_known);
}

TEST(PaperMachine, releases_of_windows_become_builds) {
  EXPECT_EQ(read("windows 10 22H2").windows_build, 19045);
  EXPECT_EQ(read("windows 10 build 17763").windows_build, 17763);
  EXPECT_EQ(read("windows 11").windows_build, 22000);
  EXPECT_EQ(read("windows 10").windows_build, 0);
}

TEST(PaperMachine, names_of_models_are_found_where_they_are_clear) {
  EXPECT_EQ(read("GTX 1660 Ti, windows 10").gpus[0].minor, 5);
  EXPECT_EQ(read("RTX 3060 Laptop GPU, windows 11").gpus[0].name, "NVIDIA GeForce RTX 3060 Laptop GPU");
  EXPECT_EQ(read("GeForce GTX 1080, linux").gpus[0].architecture, "pascal");
  EXPECT_EQ(read("RX 7900 XTX, windows 11").gpus[0].vendor, "amd");
  EXPECT_EQ(read("Intel Arc A770, windows 11").gpus[0].vendor, "intel");
}

TEST(PaperMachine, what_cannot_be_read_is_named) {
  EXPECT_NE(fault_of("RTX 3060, a banana, windows 11").find("a banana"), std::string::npos);
  EXPECT_NE(fault_of("RTX 99999, windows 11").find("RTX 99999"), std::string::npos);
  EXPECT_NE(fault_of("driver new, windows 11").find("driver new"), std::string::npos);
  EXPECT_NE(fault_of("RTX 3060").find("no system"), std::string::npos);
  EXPECT_NE(fault_of("python three, linux").find("python three"), std::string::npos);
  EXPECT_EQ(machine_on_paper(std::string(5000, 'x')).error().code, ErrorCode::too_large);
}

}  // namespace
}  // namespace gpuway
