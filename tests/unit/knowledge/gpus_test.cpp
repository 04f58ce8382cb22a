#include "think/knowledge/gpus.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "think/knowledge/interests.h"

namespace gpuway {
namespace {

constexpr std::uint16_t kNvidia = 0x10de, kAmd = 0x1002, kIntel = 0x8086;

std::string capability(std::uint16_t device) {
  const auto model = find_gpu(kNvidia, device);
  return !model ? "no row" : model->compute_capability ? model->compute_capability->text() : "unknown";
}

// One card of each generation, ids as in NVIDIA's own list of supported products.
TEST(FindGpu, gives_the_compute_capability_of_each_generation) {
  const std::map<std::uint16_t, std::string> expected = {
      {0x102d, "3.7"},   // Tesla K80
      {0x1381, "5.0"},   // GeForce GTX 750
      {0x17c8, "5.2"},   // GeForce GTX 980 Ti
      {0x1b80, "6.1"},   // GeForce GTX 1080
      {0x15f8, "6.0"},   // Tesla P100
      {0x1db4, "7.0"},   // Tesla V100
      {0x1eb8, "7.5"},   // Tesla T4
      {0x20b0, "8.0"},   // A100
      {0x2204, "8.6"},   // GeForce RTX 3090
      {0x2684, "8.9"},   // GeForce RTX 4090
      {0x2330, "9.0"},   // H100
      {0x2b85, "12.0"},  // GeForce RTX 5090
  };
  for (const auto& [device, text] : expected) EXPECT_EQ(capability(device), text) << std::hex << device;
}

TEST(FindGpu, names_the_card_as_nvidia_does) {
  EXPECT_EQ(find_gpu(kNvidia, 0x2684)->name, "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(find_gpu(kNvidia, 0x2684)->chip, "AD102");
  EXPECT_EQ(find_gpu(kNvidia, 0x2684)->architecture->name, "Ada Lovelace");
}

TEST(FindGpu, knows_amd_and_intel_by_family_without_compute_capability) {
  const auto amd = find_gpu(kAmd, 0x744c);
  ASSERT_TRUE(amd);
  EXPECT_EQ(amd->chip, "gfx1100");
  EXPECT_EQ(amd->architecture, nullptr);
  EXPECT_FALSE(amd->compute_capability);
  EXPECT_TRUE(find_gpu(kIntel, 0x56a0)->name.starts_with("Intel Arc A"));
}

TEST(FindGpu, answers_nothing_for_an_id_of_nobody) {
  EXPECT_FALSE(find_gpu(kNvidia, 0x0000));
  EXPECT_FALSE(find_gpu(kNvidia, 0xffff));
  EXPECT_FALSE(find_gpu(0xffff, 0x2684));
  EXPECT_FALSE(find_gpu(kAmd, 0x2684));
}

TEST(FindGpu, marks_rows_that_no_document_confirms) { EXPECT_FALSE(find_gpu(kNvidia, 0x05e1)->confirmed); }

// Every id is asked once: the array is sorted and complete exactly when the binary search finds what it holds.
TEST(FindGpu, finds_every_row_of_the_table) {
  int nvidia = 0, others = 0;
  for (unsigned device = 0; device <= 0xffff; ++device) {
    const auto id = static_cast<std::uint16_t>(device);
    if (const auto model = find_gpu(kNvidia, id)) {
      ++nvidia;
      ASSERT_NE(model->architecture, nullptr) << model->name;
      if (model->compute_capability) {
        EXPECT_GE(model->compute_capability->major, 1) << model->name;
        EXPECT_LE(model->compute_capability->major, 12) << model->name;
      }
    }
    others += find_gpu(kAmd, id).has_value() + find_gpu(kIntel, id).has_value();
  }
  EXPECT_GT(nvidia, 1000);
  EXPECT_GT(others, 200);
}

TEST(DriverBranch, of_an_old_generation_ends) {
  EXPECT_EQ(is_known_to_branch(*find_architecture("kepler"), 470), true);
  EXPECT_EQ(is_known_to_branch(*find_architecture("kepler"), 495), false);
  EXPECT_EQ(is_known_to_branch(*find_architecture("pascal"), 580), true);
  EXPECT_EQ(is_known_to_branch(*find_architecture("pascal"), 590), false);
}

TEST(DriverBranch, of_a_new_generation_begins) {
  EXPECT_EQ(is_known_to_branch(*find_architecture("blackwell"), 565), false);
  EXPECT_EQ(is_known_to_branch(*find_architecture("blackwell"), 570), true);
}

TEST(DriverBranch, without_a_limit_in_the_table_is_not_known) {
  EXPECT_EQ(is_known_to_branch(*find_architecture("rubin"), 620), std::nullopt);
}

TEST(KernelModule, follows_the_generation) {
  EXPECT_EQ(find_architecture("pascal")->modules, KernelModules::closed_only);
  EXPECT_EQ(find_architecture("blackwell")->modules, KernelModules::open_only);
  EXPECT_EQ(find_architecture("turing")->modules, KernelModules::both);
}

TEST(KnowledgeDate, is_a_date) {
  const auto date = knowledge_date();
  ASSERT_EQ(date.size(), 10U);
  EXPECT_GE(date, "2026-12-01");
}

}  // namespace
}  // namespace gpuway
