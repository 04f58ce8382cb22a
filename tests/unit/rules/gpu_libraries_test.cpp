#include "think/rules/gpu/gpu_libraries.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

class LibraryFaultsTest : public testing::Test {
 protected:
  static LoadOutcome damaged(const std::string& path) {
    LoadOutcome outcome;
    outcome.state = LoadOutcome::State::failed;
    LoadFailure failure;
    failure.kind = LoadFailure::Kind::too_short;
    failure.library = "libcudart.so.12";
    failure.path = path;
    outcome.failure = failure;
    return outcome;
  }
  Snapshot snapshot_;
  PythonEnvironment environment_;
  Wants wants_;
  ChainBuilder chain_{snapshot_, environment_, "jax", wants_};
  std::vector<Finding> findings_;
};

// The oracle's 9101-99: JAX passed over a damaged runtime twice and then needed it.
TEST_F(LibraryFaultsTest, a_file_asked_for_twice_takes_away_the_most_that_any_request_loses) {
  LibraryFaults faults(chain_, false);
  faults.note(damaged("/lib/libcudart.so.12"), "libcudart.so.12", "_solver.so", Effect::harmless);
  faults.note(damaged("/lib/libcudart.so.12"), "libcudart.so.12", "_versions.so", Effect::no_gpu);
  faults.finish();
  const auto chain = chain_.finish(0, findings_);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].severity, Severity::error);
  EXPECT_EQ(chain.sees_gpu, Verdict::no);
  EXPECT_EQ(chain.cause, "library-truncated-or-damaged");
}

TEST_F(LibraryFaultsTest, two_damaged_files_are_two_findings) {
  LibraryFaults faults(chain_, false);
  faults.note(damaged("/a/libcudart.so.12"), "libcudart.so.12", "x", Effect::no_gpu);
  faults.note(damaged("/b/libcudart.so.12"), "libcudart.so.12", "x", Effect::no_gpu);
  faults.finish();
  chain_.finish(0, findings_);
  EXPECT_EQ(findings_.size(), 2U);
}

TEST_F(LibraryFaultsTest, a_library_in_a_folder_of_ld_so_conf_that_the_cache_lacks_wants_ldconfig) {
  snapshot_.loader_folders = Fact<std::vector<std::string>>::known({"/opt/mine/lib"}, {});
  FolderView folder;
  folder.outcome = FolderView::Outcome::listed;
  folder.names = {"libcudart.so.12"};
  snapshot_.folders["/opt/mine/lib"] = folder;
  LoadOutcome outcome = damaged("");
  outcome.failure->kind = LoadFailure::Kind::not_found;
  LibraryFaults faults(chain_, false);
  faults.note(outcome, "libcudart.so.12", "libx.so", Effect::no_gpu);
  faults.finish();
  chain_.finish(0, findings_);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_[0].id, "cuda-libs-not-on-loader-path");
  EXPECT_EQ(findings_[0].next_step.id, "rebuild-loader-cache");
}

}  // namespace
}  // namespace gpuway
