#include "think/rules/gpu/gpu_code.h"

#include <algorithm>
#include <map>

#include "base/path.h"
#include "think/knowledge/cuda.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

using Row = GpuCodeSummary::Row;

// A stray cubin does not mean that an architecture is supported: cuDNN 9 has 2 of 4,161 entries for sm_70
// (shared facts: binaries.md 1.3). Below this share of the most frequent architecture a row does not count.
constexpr std::uint64_t kMinShare = 5;

// Families of `f` code: what lies in one row runs on the later members of it (PTX ISA 8.8, release notes).
bool same_family(std::uint32_t code, std::uint32_t device) {
  return code / 10 == device / 10 && device >= code;
}

bool machine_code_runs(const Row& row, std::uint32_t device) {
  if (row.variant == 'a') return row.arch == device;
  if (row.variant == 'f') return same_family(row.arch, device);
  return row.arch / 10 == device / 10 && row.arch % 10 <= device % 10;
}

bool ptx_fits(const Row& row, std::uint32_t device) {
  if (row.variant == 'a') return row.arch == device;
  if (row.variant == 'f') return same_family(row.arch, device);
  return row.arch <= device;
}

std::string arch_text(const Row& row) {
  auto text = std::to_string(row.arch / 10) + "." + std::to_string(row.arch % 10);
  if (row.variant != 0) text += row.variant;
  return text;
}

// Whether a driver of this CUDA level takes PTX of this ISA version. A level that nobody told is given the benefit of the
// doubt; an ISA newer than the table is not.
bool takes_ptx(CudaVersion level, const Row& row) {
  if (level.major == 0) return true;
  const auto needed = cuda_for_ptx(row.ptx_major, row.ptx_minor);
  return needed && CudaVersion{level.major, level.minor} >= *needed;
}

struct Code {
  std::vector<Row> machine, ptx;
  std::vector<std::string> have;   // for people, oldest first
};

void merge(std::map<std::pair<std::uint32_t, char>, Row>& into, const Row& row) {
  auto& have = into[{row.arch, row.variant}];
  const auto count = have.count + row.count;
  if (std::pair(row.ptx_major, row.ptx_minor) > std::pair(have.ptx_major, have.ptx_minor) || have.count == 0) have = row;
  have.count = count;
}

Code collect(const std::vector<const GpuCodeSummary*>& summaries) {
  std::map<std::pair<std::uint32_t, char>, Row> machine, ptx;
  for (const auto* summary : summaries) {
    for (const auto& row : summary->rows) {
      if (row.kind == Row::Kind::machine_code) merge(machine, row);
      if (row.kind == Row::Kind::ptx) merge(ptx, row);
    }
  }
  std::uint64_t most = 0;
  for (const auto& [key, row] : machine) most = std::max(most, row.count);
  Code code;
  for (const auto& [key, row] : machine) {
    if (row.count * 100 < most * kMinShare) continue;
    code.machine.push_back(row);
    code.have.push_back(arch_text(row));
  }
  for (const auto& [key, row] : ptx) {
    code.ptx.push_back(row);
    code.have.push_back(arch_text(row) + " (PTX)");
  }
  return code;
}

}  // namespace

void judge_gpu_code(ChainBuilder& chain, const DriverAnswer& driver, const std::vector<std::string>& files,
                    CudaVersion oldest, Effect below_oldest) {
  if (driver.report == nullptr || driver.report->devices.empty() || files.empty()) return;
  std::vector<const GpuCodeSummary*> summaries;
  for (const auto& file : files) {
    const auto found = chain.snapshot().gpu_code.find(file);
    if (found == chain.snapshot().gpu_code.end()) {
      chain.wants().gpu_code.emplace(file, true);
      chain.undetermined(LinkId::gpu_code, Effect::no_compute, file + ": not read");
      return;
    }
    if (!found->second.is_known()) {
      if (found->second.is_absent()) continue;
      chain.undetermined(LinkId::gpu_code, Effect::no_compute, file + ": " + found->second.detail);
      return;
    }
    summaries.push_back(&*found->second.value);
  }
  const auto code = collect(summaries);
  if (code.machine.empty() && code.ptx.empty()) return;   // the build keeps its code elsewhere; nothing is proven
  const auto level = driver.report->driver_version ? CudaVersion::of_number(*driver.report->driver_version) : CudaVersion{};

  struct Bad {
    const DriverDevice* device;
    std::string id, ptx;
    Effect effect;
    std::string report;   // what is known only from reports, so not proven
  };
  std::vector<Bad> bad, slow;
  for (const auto& device : driver.report->devices) {
    const auto cc = static_cast<std::uint32_t>(device.compute_major * 10 + device.compute_minor);
    if (cc == 0) continue;
    if (oldest.major > 0 && device.compute_major * 10 + device.compute_minor < oldest.major * 10 + oldest.minor) {
      bad.push_back({&device, "gpu-too-old-for-any-wheel", "", below_oldest, {}});
      continue;
    }
    if (std::any_of(code.machine.begin(), code.machine.end(), [&](const Row& r) { return machine_code_runs(r, cc); })) continue;
    const Row* jit = nullptr;
    for (const auto& row : code.ptx) {
      if (ptx_fits(row, cc)) jit = &row;
    }
    if (jit != nullptr) {
      const auto ptx = std::to_string(jit->ptx_major) + "." + std::to_string(jit->ptx_minor);
      const auto report = report_of_failing_ptx(chain.chain.framework, {device.compute_major, device.compute_minor});
      if (!takes_ptx(level, *jit)) {
        bad.push_back({&device, "ptx-too-new-for-driver", ptx, Effect::no_compute, {}});
      } else if (report) {
        bad.push_back({&device, "gpu-too-new-for-wheel", ptx, Effect::no_compute, std::string(*report)});
      } else {
        slow.push_back({&device, "ptx-jit-compile-at-start", ptx, Effect::harmless, {}});
      }
      continue;
    }
    const auto newest = code.machine.empty() ? code.ptx.back().arch : code.machine.back().arch;
    const bool too_new = cc > newest;
    const bool ancient = cc < 50;
    bad.push_back({&device, too_new ? "gpu-too-new-for-wheel" : ancient ? "gpu-too-old-for-any-wheel" : "wheel-dropped-old-gpu-arch",
                   "", Effect::no_compute, {}});
  }
  // With several GPUs the fit ones still work: a warning then, no broken link.
  const bool all_bad = bad.size() == driver.report->devices.size();
  const auto add = [&](const Bad& row, Effect effect, Severity severity) {
    auto& finding = chain.add(LinkId::gpu_code, row.id, effect, severity, row.report.empty() ? Certainty::proven : Certainty::probable);
    const auto cc = std::to_string(row.device->compute_major) + "." + std::to_string(row.device->compute_minor);
    set_args(finding, {{"framework", chain.chain.framework},
                       {"version", chain.chain.version},
                       {"device", row.device->name},
                       {"cc", cc},
                       {"ptx", row.ptx},
                       {"cuda", level.text()},
                       {"has", code.have}});
    add_evidence(finding, "library-call", driver.path + ": cuDeviceGetAttribute", row.device->name + ", compute capability " + cc);
    for (const auto& file : files) add_evidence(finding, "file", file, "GPU code read");
    if (!row.report.empty()) add_evidence(finding, "table", "cuda.toml", row.report);
    set_next_step(finding, row.id == "ptx-too-new-for-driver" ? "update-driver" : "choose-fitting-build",
                  {"gpuway inspect " + shell_word(files.front())});
  };
  for (const auto& row : bad) add(row, all_bad ? row.effect : Effect::harmless, all_bad ? Severity::error : Severity::warning);
  for (const auto& row : slow) add(row, Effect::harmless, Severity::warning);
}

}  // namespace gpuway
