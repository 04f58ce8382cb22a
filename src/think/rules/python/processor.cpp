#include "think/rules/python/processor.h"

#include <algorithm>

#include "base/path.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"

namespace gpuway {
namespace {

// jaxlib's guard module carries the names of what it was compiled for; TensorFlow's needs are those of its release notes.
bool was_compiled_for_avx2(ChainBuilder& chain) {
  const auto* jaxlib = chain.import_of("jaxlib");
  if (jaxlib == nullptr || jaxlib->kind != ImportCandidate::Kind::package) return false;
  const auto* name = chain.snapshot().windows ? "cpu_feature_guard.pyd" : "cpu_feature_guard.so";
  return holds_bytes(chain, join_path(parent_path(jaxlib->path), name), "AVX2").value_or(false);
}

std::string processor_command(const ChainBuilder& chain, bool hidden, bool avx2) {
  if (!chain.snapshot().windows) return "grep -m1 -o -w avx /proc/cpuinfo";
  if (!hidden) return "Get-CimInstance Win32_Processor | Select-Object Name";
  // PF_AVX_INSTRUCTIONS_AVAILABLE and PF_AVX2_INSTRUCTIONS_AVAILABLE.
  return "(Add-Type -PassThru -Name Processor -Namespace Ask -MemberDefinition '[DllImport(\"kernel32\")] public static extern "
         "bool IsProcessorFeaturePresent(int feature);')::IsProcessorFeaturePresent(" +
         std::string(avx2 ? "40" : "39") + ")";
}

}  // namespace

// Since 1.6 TensorFlow's x86-64 wheels need AVX and end the process without it (release notes of 1.6 and its own check at
// load); jaxlib's guard module raises. PyTorch and ONNX Runtime choose their code at run time.
void judge_processor(ChainBuilder& chain) {
  const auto& system = chain.snapshot().system;
  const auto& framework = chain.chain.framework;
  if (framework != "tensorflow" && framework != "jax") return;
  const bool windows = chain.snapshot().windows.has_value();
  // On Windows the flags are those that x86-64 programs see, on Arm too.
  const bool emulated = windows && system.architecture.value_or("") == "aarch64";
  if (!emulated && system.architecture.value_or("") != "x86_64") return;
  if (!system.cpu_flags.is_known() || system.cpu_flags->empty()) return;
  const auto& flags = *system.cpu_flags;
  const auto has = [&](std::string_view flag) { return std::find(flags.begin(), flags.end(), flag) != flags.end(); };
  const bool needs_avx2 = framework == "jax" && !has("avx2") && was_compiled_for_avx2(chain);
  if (has("avx") && !needs_avx2) return;
  if (emulated) {
    // Windows on Arm shows AVX since 24H2, at first to some programs only: Python may see other flags than this program.
    chain.undetermined(LinkId::interpreter, Effect::import_fails, "the emulator of this Windows shows no AVX to gpuway");
    return;
  }
  // The flag is set on a Windows that runs its own hypervisor, too.
  const bool hidden = system.hypervisor.is_known() || (!windows && has("hypervisor"));
  // Windows turns the fault of a DLL's start into error 1114, an ImportError (fo40225/tensorflow-windows-wheel issue 48).
  const auto effect = framework == "jax" || windows ? Effect::import_fails : Effect::import_dies;
  auto& finding = chain.add(LinkId::interpreter, hidden ? "vm-cpu-type-hides-avx" : "cpu-without-avx", effect, Severity::error, Certainty::probable);
  set_args(finding, {{"needs", std::string(needs_avx2 ? "AVX2" : "AVX")}});
  const auto& where = system.cpu_flags.source.where;
  add_evidence(finding, windows ? "library-call" : "file", where.empty() ? "/proc/cpuinfo" : where,
               needs_avx2 ? "flags without avx2" : "flags without avx");
  if (windows && system.cpu_name.is_known()) add_evidence(finding, "registry", system.cpu_name.source.where, *system.cpu_name);
  const auto* step = !hidden ? "use-build-without-avx" : windows ? "pass-host-cpu-to-windows" : "pass-host-cpu";
  set_next_step(finding, step, {processor_command(chain, hidden, needs_avx2)});
}

}  // namespace gpuway
