#include "think/rules/windows/windows_driver.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/driver/driver_missing.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

constexpr const char* kDriver = "nvcuda.dll";

const DisplayAdapter* nvidia_adapter(const Snapshot& snapshot) {
  constexpr std::uint16_t nvidia = 0x10de;
  if (!snapshot.windows) return nullptr;
  for (const auto& adapter : snapshot.windows->adapters) {
    if (adapter.vendor == nvidia) return &adapter;
  }
  return nullptr;
}

void add_driver_missing(ChainBuilder& chain, const DllFailure& failure, Effect effect) {
  const auto presence = nvidia_presence(chain.snapshot());
  if (add_no_gpu(chain, effect, presence)) return;
  auto& finding = chain.add(LinkId::driver_library, "driver-not-installed", effect, Severity::error,
                            presence.state == GpuPresence::State::present ? Certainty::proven : Certainty::probable);
  set_args(finding, {{"library", std::string(kDriver)}});
  finding.evidence.push_back(presence.evidence);
  if (const auto* adapter = nvidia_adapter(chain.snapshot()); adapter != nullptr && !adapter->provider.empty()) {
    add_evidence(finding, "registry", "ProviderName", adapter->provider);
  }
  add_evidence(finding, "file", kDriver, "not found in any folder searched");
  finding.searched = failure.searched;
  set_next_step(finding, "install-driver", {"Get-PnpDevice -Class Display"});
}

}  // namespace

std::string nvidia_version_of(const std::string& windows_version) {
  const auto parts = split(windows_version, '.');
  if (parts.size() != 4) return {};
  std::string digits;
  for (const auto part : {parts[2], parts[3]}) {
    if (part.empty() || part.size() > 5 || part.find_first_not_of("0123456789") != std::string_view::npos) return {};
    digits += part;
  }
  // 15 and 6636 read 56636: the third number ends with the first digit, the fourth has four.
  if (parts[3].size() < 4 || digits.size() < 5) return {};
  digits = digits.substr(digits.size() - 5);
  return digits.substr(0, 3) + "." + digits.substr(3);
}

DriverAnswer judge_nvcuda(ChainBuilder& chain, WindowsPython& process, std::uint32_t flags, Effect effect) {
  DriverAnswer answer;
  const auto outcome = process.loader().load(kDriver, flags);
  if (outcome.state == DllOutcome::State::undetermined) {
    chain.undetermined(LinkId::driver_library, effect, std::string(kDriver) + ": " + outcome.reason);
    return answer;
  }
  if (outcome.state == DllOutcome::State::loaded) {
    return judge_driver_library(chain, process.loader().modules()[static_cast<std::size_t>(outcome.module)].path, "nvml.dll", effect);
  }
  answer.settled = true;
  const auto& failure = *outcome.failure;
  chain.missing(failure.library, failure.asked_by, !failure.asked_by.empty(), effect);
  if (failure.kind == DllFailure::Kind::not_found && to_lower(failure.library) == kDriver) {
    add_driver_missing(chain, failure, effect);
    return answer;
  }
  auto& finding = chain.add(LinkId::driver_library, "library-truncated-or-damaged", effect, Severity::error);
  const auto path = failure.path.empty() ? failure.library : failure.path;
  set_args(finding, {{"framework", chain.chain.framework}, {"path", path}, {"fault", std::string("cannot be loaded")}});
  add_evidence(finding, "file", path, "cannot be loaded");
  finding.searched = failure.searched;
  set_next_step(finding, "reinstall-driver", {"Get-Item " + shell_word(path)});
  return answer;
}

}  // namespace gpuway
