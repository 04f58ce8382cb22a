#include "think/rules/chain_builder.h"

#include <gtest/gtest.h>

#include <functional>

namespace gpuway {
namespace {

class ChainBuilderTest : public testing::Test {
 protected:
  Chain close(const std::function<void(ChainBuilder&)>& fill, bool cuda = true) {
    ChainBuilder chain(snapshot_, environment_, "tensorflow", wants_);
    chain.cuda_expected = cuda;
    chain.chain.flavour = cuda ? "cuda" : "cpu";
    fill(chain);
    return chain.finish(0, findings_);
  }
  Snapshot snapshot_;
  PythonEnvironment environment_;
  Wants wants_;
  std::vector<Finding> findings_;
};

TEST_F(ChainBuilderTest, nothing_found_means_yes_three_times) {
  const auto chain = close([](ChainBuilder&) {});
  EXPECT_EQ(chain.imports, Verdict::yes);
  EXPECT_EQ(chain.sees_gpu, Verdict::yes);
  EXPECT_EQ(chain.can_compute, Verdict::yes);
  EXPECT_FALSE(chain.cause.has_value());
}

TEST_F(ChainBuilderTest, a_cpu_build_imports_and_never_sees_a_gpu_without_any_finding) {
  const auto chain = close([](ChainBuilder&) {}, false);
  EXPECT_EQ(chain.imports, Verdict::yes);
  EXPECT_EQ(chain.sees_gpu, Verdict::no);
  EXPECT_EQ(chain.device_count, 0);
  EXPECT_FALSE(chain.cause.has_value());
}

TEST_F(ChainBuilderTest, the_first_broken_link_is_the_cause_whatever_was_added_first) {
  const auto chain = close([](ChainBuilder& c) {
    c.add(LinkId::device, "device-node-missing", Effect::no_gpu, Severity::error);
    c.add(LinkId::gpu_libraries, "cudnn-missing", Effect::no_gpu, Severity::error);
  });
  EXPECT_EQ(chain.cause, "cudnn-missing");
  EXPECT_EQ(chain.breaks_next, std::vector<std::string>{"device-node-missing"});
  EXPECT_EQ(chain.sees_gpu, Verdict::no);
  EXPECT_EQ(chain.imports, Verdict::yes);
}

TEST_F(ChainBuilderTest, without_a_gpu_missing_cuda_libraries_are_notes_also_where_the_import_fails) {
  const auto chain = close([](ChainBuilder& c) {
    c.add(LinkId::interpreter, "numpy2-abi-break", Effect::import_fails, Severity::error);
    c.add(LinkId::gpu_libraries, "cudnn-missing", Effect::no_gpu, Severity::error);
    c.add(LinkId::gpu_libraries, "cuda-library-missing", Effect::import_fails, Severity::error);
    c.settle_without_gpu({"folder", "/sys/bus/pci/devices", "no NVIDIA adapter"});
  });
  EXPECT_EQ(chain.cause, "numpy2-abi-break");
  ASSERT_EQ(findings_.size(), 3u);
  EXPECT_EQ(findings_[0].severity, Severity::error);
  EXPECT_EQ(findings_[1].severity, Severity::note);
  EXPECT_EQ(findings_[2].severity, Severity::error);
}

TEST_F(ChainBuilderTest, a_doubt_takes_certainty_from_the_answers_it_could_change_only) {
  const auto chain = close([](ChainBuilder& c) { c.undetermined(LinkId::driver_library, Effect::no_gpu, "denied"); });
  EXPECT_EQ(chain.imports, Verdict::yes);
  EXPECT_EQ(chain.sees_gpu, Verdict::undetermined);
  EXPECT_EQ(chain.can_compute, Verdict::undetermined);
}

TEST_F(ChainBuilderTest, a_proven_fault_outweighs_a_doubt) {
  const auto chain = close([](ChainBuilder& c) {
    c.undetermined(LinkId::driver_library, Effect::no_gpu, "denied");
    c.add(LinkId::gpu_libraries, "cudnn-missing", Effect::no_gpu, Severity::error);
  });
  EXPECT_EQ(chain.sees_gpu, Verdict::no);
}

TEST_F(ChainBuilderTest, a_process_that_dies_at_the_question_still_imports) {
  const auto chain = close([](ChainBuilder& c) {
    c.add(LinkId::gpu_libraries, "library-truncated-or-damaged", Effect::process_dies, Severity::error);
  });
  EXPECT_EQ(chain.imports, Verdict::yes);
  EXPECT_EQ(chain.sees_gpu, Verdict::crashes);
  EXPECT_EQ(chain.can_compute, Verdict::no);
}

TEST_F(ChainBuilderTest, a_process_that_dies_at_import_crashes_twice) {
  const auto chain = close([](ChainBuilder& c) {
    c.add(LinkId::gpu_libraries, "library-truncated-or-damaged", Effect::import_dies, Severity::error);
  });
  EXPECT_EQ(chain.imports, Verdict::crashes);
  EXPECT_EQ(chain.sees_gpu, Verdict::crashes);
}

TEST_F(ChainBuilderTest, a_gpu_that_is_listed_and_cannot_compute_is_still_listed) {
  const auto chain = close([](ChainBuilder& c) {
    c.chain.device_count = 1;
    c.add(LinkId::driver_version, "driver-too-old", Effect::no_compute, Severity::error);
  });
  EXPECT_EQ(chain.sees_gpu, Verdict::yes);
  EXPECT_EQ(chain.can_compute, Verdict::no);
  EXPECT_EQ(chain.device_count, 1);
  EXPECT_EQ(chain.cause, "driver-too-old");
}

TEST_F(ChainBuilderTest, a_harmless_note_breaks_nothing) {
  const auto chain = close([](ChainBuilder& c) {
    c.add(LinkId::import, "leftover-package-folder", Effect::harmless, Severity::note);
  });
  EXPECT_EQ(chain.sees_gpu, Verdict::yes);
  EXPECT_FALSE(chain.cause.has_value());
  EXPECT_EQ(chain.links.front().state, LinkState::ok);
  EXPECT_EQ(chain.links.front().findings.size(), 1U);
}

TEST_F(ChainBuilderTest, a_namespace_folder_does_not_win_over_a_package_later_on_the_path) {
  environment_.imports = {
      {"tensorflow", "/cwd/tensorflow", ImportCandidate::Kind::namespace_folder, 0},
      {"tensorflow", "/site/tensorflow/__init__.py", ImportCandidate::Kind::package, 1},
  };
  ChainBuilder chain(snapshot_, environment_, "tensorflow", wants_);
  EXPECT_EQ(chain.import_of("tensorflow")->path, "/site/tensorflow/__init__.py");
  EXPECT_EQ(chain.import_of("torch"), nullptr);
}

TEST_F(ChainBuilderTest, a_text_that_nobody_fetched_is_wanted_and_not_absent) {
  ChainBuilder chain(snapshot_, environment_, "tensorflow", wants_);
  EXPECT_EQ(chain.text("/a"), nullptr);
  EXPECT_EQ(chain.text_state("/a"), FactState::undetermined);
  EXPECT_TRUE(wants_.texts.contains("/a"));
}

}  // namespace
}  // namespace gpuway
