#include "think/rules/cpu_build.h"

#include "think/rules/gpu_presence.h"
#include "think/rules/next_steps.h"

namespace gpuway {

void judge_cpu_build(ChainBuilder& chain, const std::string& file, const std::string& what,
                     const std::vector<std::string>& commands) {
  const auto presence = nvidia_presence(chain.snapshot());
  if (presence.state != GpuPresence::State::present) return;
  auto& finding = chain.add(LinkId::wheel, "cpu-only-wheel", Effect::no_gpu, Severity::error);
  set_args(finding, {{"framework", chain.chain.framework}, {"version", chain.chain.version}, {"package", chain.chain.package}});
  add_evidence(finding, "file", file, what);
  finding.evidence.push_back(presence.evidence);
  set_next_step(finding, "install-gpu-build", commands);
}

void judge_other_vendor_build(ChainBuilder& chain) {
  if (chain.chain.flavour != "rocm") {
    chain.undetermined(LinkId::device, Effect::no_gpu, "GPUs of this vendor are not asked");
    return;
  }
  const auto* node = device_node(chain.snapshot(), "/dev/kfd");
  if (node == nullptr || !node->usable.is_absent()) {
    chain.undetermined(LinkId::device, Effect::no_gpu, "ROCm devices are not asked");
    return;
  }
  auto& finding = chain.add(LinkId::gpu_libraries, "gpu-vendor-runtime-missing", Effect::no_gpu, Severity::error);
  set_args(finding, {{"framework", chain.chain.framework}, {"version", chain.chain.version}});
  add_evidence(finding, "file", "/dev/kfd", "does not exist");
  set_next_step(finding, "install-rocm-driver", {"ls -l /dev/kfd /dev/dri"});
}

}  // namespace gpuway
