#include "think/rules/gpu/cpu_build.h"

#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

// Written by NVIDIA's Linux for Tegra; a Jetson board's GPU sits on no PCI bus.
constexpr const char* kTegraRelease = "/etc/nv_tegra_release";

// conda's record of the framework when it names a CPU variant. conda calls torch pytorch; the record counts only while its
// version is the one that is imported.
const PythonPackage* conda_cpu_record(ChainBuilder& chain) {
  for (const auto* name : rule_of(chain).distributions) {
    for (const auto* package : chain.packages(name)) {
      if (package->conda_build.find("cpu") != std::string::npos && package->version == chain.chain.version) return package;
    }
  }
  return nullptr;
}

// What made this a CPU build decides what helps. conda names the variant in the build string ("cpu_py311h..." or
// "cuda118_..."), and for ARM the index has CPU builds only.
std::string cpu_build_id(const PythonPackage* conda, bool arm, bool jetson) {
  if (jetson) return "generic-wheel-on-jetson";
  if (arm) return "no-gpu-wheel-for-arm";
  return conda != nullptr ? "conda-solver-picked-cpu" : "cpu-only-wheel";
}

std::vector<std::string> commands_for(const ChainBuilder& chain, const std::string& id, const PythonPackage* conda,
                                      const std::vector<std::string>& usual) {
  if (id == "conda-solver-picked-cpu") {
    const auto name = conda->name == "torch" ? std::string("pytorch") : conda->name;   // what conda calls it
    return {"conda install --prefix " + shell_word(chain.environment().path) + " -c conda-forge '" + name + "=*=cuda*'"};
  }
  if (id == "generic-wheel-on-jetson") return {std::string("cat ") + kTegraRelease};
  if (id == "no-gpu-wheel-for-arm") return {chain.snapshot().windows ? "(Get-CimInstance Win32_OperatingSystem).OSArchitecture" : "uname -m"};
  return usual;
}

}  // namespace

void judge_cpu_build(ChainBuilder& chain, const std::string& file, const std::string& what,
                     const std::vector<std::string>& commands) {
  const auto presence = nvidia_presence(chain.snapshot());
  const bool arm = chain.snapshot().system.architecture.value_or("") == "aarch64";
  const bool jetson = arm && chain.text(kTegraRelease) != nullptr;
  if (presence.state != GpuPresence::State::present && !jetson) return;
  // A GPU build that a CPU build wrote over: told with what to do about it, which is not what a CPU build needs.
  if (chain.takes_gpu("several-onnxruntime-packages") || chain.takes_gpu("conflicting-tensorflow-packages")) return;
  const auto* conda = conda_cpu_record(chain);
  const auto id = cpu_build_id(conda, arm, jetson);
  auto& finding = chain.add(LinkId::wheel, id, Effect::no_gpu, Severity::error);
  set_args(finding, {{"version", chain.chain.version}, {"package", chain.chain.package}});
  add_evidence(finding, "file", file, what);
  if (id == "conda-solver-picked-cpu") add_evidence(finding, "file", conda->location, "build " + conda->conda_build);
  if (jetson) add_evidence(finding, "file", kTegraRelease, "a Jetson board");
  if (presence.state == GpuPresence::State::present) finding.evidence.push_back(presence.evidence);
  set_next_step(finding, id == "cpu-only-wheel" || id == "conda-solver-picked-cpu" ? "install-gpu-build" : "choose-vendor-build",
                commands_for(chain, id, conda, commands));
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
