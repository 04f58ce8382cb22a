#include "think/knowledge/findings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gpuway {
namespace {

Finding cudnn_missing() {
  Finding finding;
  finding.id = "cudnn-missing";
  finding.severity = Severity::error;
  finding.args = {
      {"framework", std::string("jax")}, {"version", std::string("1")}, {"library", std::string("libcudnn.so.9")}};
  finding.next_step.id = "install-cuda-libraries";
  return finding;
}

TEST(Findings, rows_are_sorted_and_found_by_id) {
  const auto rows = finding_rows();
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.id < b.id; }));
  for (const auto& row : rows) EXPECT_EQ(find_finding(row.id), &row);
  EXPECT_EQ(find_finding("no-such-finding"), nullptr);
}

TEST(Findings, a_finding_must_keep_to_its_row) {
  EXPECT_EQ(fault_of(cudnn_missing()), "");
  auto finding = cudnn_missing();
  finding.id = "cudnn-gone";
  EXPECT_EQ(fault_of(finding), "not in the vocabulary: cudnn-gone");
  finding = cudnn_missing();
  finding.args.erase("library");
  EXPECT_EQ(fault_of(finding), "cudnn-missing without the argument library");
  finding = cudnn_missing();
  finding.next_step.id = "unset-variable";
  EXPECT_EQ(fault_of(finding), "cudnn-missing with the next step unset-variable");
  finding.next_step.id.clear();
  EXPECT_EQ(fault_of(finding), "cudnn-missing without a next step");
  finding.severity = Severity::note;
  EXPECT_EQ(fault_of(finding), "");
}

}  // namespace
}  // namespace gpuway
