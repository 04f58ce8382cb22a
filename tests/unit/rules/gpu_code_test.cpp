#include <gtest/gtest.h>

#include "think/rules/driver/cuda_driver.h"
#include "think/rules/gpu/gpu_code.h"

namespace gpuway {
namespace {

using Row = GpuCodeSummary::Row;

class GpuCodeTest : public testing::Test {
 protected:
  void code(std::vector<Row> rows) {
    GpuCodeSummary summary;
    summary.rows = std::move(rows);
    snapshot_.gpu_code["/lib"] = Fact<GpuCodeSummary>::known(summary, {});
  }
  void device(int major, int minor) {
    DriverDevice device;
    device.name = "GPU";
    device.compute_major = major;
    device.compute_minor = minor;
    report_.devices.push_back(device);
  }
  Chain judged(int driver_level, const char* framework = "pytorch") {
    report_.driver_version = driver_level;
    DriverAnswer answer{&report_, "/libcuda.so.1", true};
    ChainBuilder chain(snapshot_, environment_, framework, wants_);
    chain.cuda_expected = true;
    chain.chain.flavour = "cuda";
    judge_gpu_code(chain, answer, {"/lib"}, {0, 0}, Effect::no_compute);
    return chain.finish(0, findings_);
  }
  static Row machine(std::uint32_t arch, char variant = 0, std::uint64_t count = 100) {
    return {Row::Kind::machine_code, arch, variant, 0, 0, count};
  }
  static Row ptx(std::uint32_t arch, std::uint32_t major, std::uint32_t minor) {
    return {Row::Kind::ptx, arch, 0, major, minor, 100};
  }
  Snapshot snapshot_;
  PythonEnvironment environment_;
  Wants wants_;
  DriverReport report_;
  std::vector<Finding> findings_;
};

TEST_F(GpuCodeTest, machine_code_runs_on_later_minors_of_its_major) {
  code({machine(80)});
  device(8, 9);
  EXPECT_FALSE(judged(12040).cause.has_value());
}

TEST_F(GpuCodeTest, machine_code_does_not_run_on_earlier_minors) {
  code({machine(86)});
  device(8, 0);
  EXPECT_EQ(judged(12040).cause, "wheel-dropped-old-gpu-arch");
}

TEST_F(GpuCodeTest, architecture_specific_code_runs_on_that_one_only) {
  code({machine(90, 'a'), machine(80)});
  device(10, 0);
  EXPECT_EQ(judged(13000).cause, "gpu-too-new-for-wheel");
}

TEST_F(GpuCodeTest, ptx_that_is_reported_to_fail_is_a_probable_fault_for_that_framework_only) {
  code({machine(80), machine(90), ptx(90, 8, 4)});
  device(12, 0);
  const auto chain = judged(12080, "tensorflow");
  EXPECT_EQ(chain.can_compute, Verdict::no);
  EXPECT_EQ(chain.cause, "gpu-too-new-for-wheel");
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].certainty, Certainty::probable);
  findings_.clear();
  EXPECT_EQ(judged(12080, "pytorch").can_compute, Verdict::yes);
}

TEST_F(GpuCodeTest, machine_code_for_the_gpu_ends_the_doubt_of_a_reported_ptx_fault) {
  code({machine(90), machine(120), ptx(120, 8, 7)});
  device(12, 0);
  EXPECT_EQ(judged(12080, "tensorflow").can_compute, Verdict::yes);
}

TEST_F(GpuCodeTest, a_newer_gpu_starts_from_ptx_slowly) {
  code({machine(80), ptx(90, 8, 4)});
  device(12, 0);
  const auto chain = judged(12080);
  EXPECT_FALSE(chain.cause.has_value());
  EXPECT_EQ(chain.can_compute, Verdict::yes);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].id, "ptx-jit-compile-at-start");
  EXPECT_EQ(findings_[0].severity, Severity::warning);
}

TEST_F(GpuCodeTest, ptx_of_a_newer_isa_than_the_driver_knows_is_refused) {
  code({machine(80), ptx(90, 8, 8)});
  device(12, 0);
  EXPECT_EQ(judged(12080).cause, "ptx-too-new-for-driver");
}

TEST_F(GpuCodeTest, a_stray_cubin_does_not_count) {
  code({machine(70, 0, 2), machine(80, 0, 4000)});
  device(7, 0);
  EXPECT_EQ(judged(12040).cause, "wheel-dropped-old-gpu-arch");
}

TEST_F(GpuCodeTest, one_fit_gpu_of_two_is_a_warning) {
  code({machine(80)});
  device(8, 0);
  device(6, 1);
  const auto chain = judged(12040);
  EXPECT_FALSE(chain.cause.has_value());
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].severity, Severity::warning);
}

TEST_F(GpuCodeTest, unread_code_is_wanted_and_leaves_a_doubt) {
  device(8, 0);
  EXPECT_EQ(judged(12040).can_compute, Verdict::undetermined);
  EXPECT_TRUE(wants_.gpu_code.contains("/lib"));
}

}  // namespace
}  // namespace gpuway
