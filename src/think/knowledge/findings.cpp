#include "think/knowledge/findings.h"

#include <algorithm>

#include "base/text.h"

namespace gpuway {
namespace {

#include "knowledge/findings_data.inc"

}  // namespace

std::span<const FindingRow> finding_rows() { return kFindings; }

const FindingRow* find_finding(std::string_view id) {
  const auto* at = std::lower_bound(std::begin(kFindings), std::end(kFindings), id,
                                    [](const FindingRow& row, std::string_view wanted) { return row.id < wanted; });
  return at != std::end(kFindings) && at->id == id ? at : nullptr;
}

std::string fault_of(const Finding& finding) {
  const auto* row = find_finding(finding.id);
  if (row == nullptr) return "not in the vocabulary: " + finding.id;
  if (!row->args.empty()) {
    for (const auto name : split(row->args, ' ')) {
      if (!finding.args.contains(std::string(name))) return finding.id + " without the argument " + std::string(name);
    }
  }
  // A fault that breaks nothing may need no step.
  if (finding.next_step.id.empty())
    return finding.severity == Severity::note ? "" : finding.id + " without a next step";
  const auto steps = split(row->next_steps, ' ');
  if (std::find(steps.begin(), steps.end(), finding.next_step.id) == steps.end())
    return finding.id + " with the next step " + finding.next_step.id;
  return {};
}

}  // namespace gpuway
