#include "base/path.h"
#include "base/text.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/frameworks/onnxruntime_provider.h"
#include "think/rules/gpu/cpu_build.h"
#include "think/rules/gpu/gpu_code.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"
#include "think/rules/windows/directml_windows.h"
#include "think/rules/windows/dll_faults.h"
#include "think/rules/windows/windows_chains.h"
#include "think/rules/windows/windows_driver.h"

namespace gpuway {
namespace {

// The number behind a DLL's stem: 110 of cudart64_110.dll, 13 of cublas64_13.dll; 0 for other names.
int number_behind(const std::string& name, std::string_view stem) {
  const auto lower = to_lower(name);
  if (!lower.starts_with(stem)) return 0;
  const auto digits = std::string_view(lower).substr(stem.size(), lower.find('.') - stem.size());
  return static_cast<int>(to_integer(digits).value_or(0));
}

// The CUDA release that the provider was made for, by the runtime that it imports: cudart64_110.dll, cudart64_12.dll. With the
// runtime inside, as in 1.31.1, cuBLAS has its major release.
CudaVersion runtime_of(const Snapshot& snapshot, const std::string& provider) {
  const auto view = snapshot.binaries.find(provider);
  if (view == snapshot.binaries.end() || !view->second.pe) return {};
  CudaVersion by_cublas;
  for (const auto& name : view->second.pe->imports) {
    // Up to CUDA 11 with the minor release in it: 101, 110.
    const auto number = number_behind(name, "cudart64_");
    if (number > 0) return number >= 100 ? CudaVersion{number / 10, number % 10} : CudaVersion{number, 0};
    if (const auto major = number_behind(name, "cublas64_"); major > 0 && major < 100) by_cublas = {major, 0};
  }
  return by_cublas;
}

}  // namespace

void judge_onnxruntime_on_windows(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  const auto folder = judge_python_links(chain, rule);
  if (folder.empty() || chain.environment().real_executable.is_absent()) return;   // no Python, nothing to replay
  const auto capi = join_path(folder, "capi");
  WindowsPython process(chain);
  auto& loader = process.loader();
  const auto listed = chain.snapshot().folders.find(capi);
  if (listed == chain.snapshot().folders.end()) {
    loader.held(capi, "");
    chain.undetermined(LinkId::wheel, Effect::import_fails, capi + " was not listed");
    return;
  }
  const std::string provider_name = "onnxruntime_providers_cuda.dll";
  const bool cuda = loader.held(capi, provider_name).has_value();
  const bool directml = !cuda && loader.held(capi, "DirectML.dll").has_value();
  chain.chain.flavour = cuda ? "cuda" : directml ? "directml" : "cpu";
  chain.cuda_expected = cuda;
  if (process.start().state == DllOutcome::State::undetermined) {
    chain.undetermined(LinkId::interpreter, Effect::import_fails, "interpreter: " + process.start().reason);
  }
  DllFaults faults(chain);
  const auto module = join_path(capi, "onnxruntime_pybind11_state.pyd");
  const bool imported = faults.note(process.import_extension(module), module, module, Effect::import_fails, LinkId::interpreter,
                                    process.has_search_flags() ? DllSearch::without_path : DllSearch::with_path);
  if (!imported || !cuda || chain.takes_gpu("several-onnxruntime-packages")) {
    faults.finish();
    if (!imported || cuda) return;
    if (directml) return judge_directml_adapters(chain);
    if (judge_provider_gone(chain, capi, provider_name)) {
      chain.chain.flavour = "cuda";
      return;
    }
    return judge_cpu_build(chain, capi, "no onnxruntime_providers_cuda.dll",
                           replace_commands(chain, {chain.chain.package}, {"onnxruntime-gpu[cuda,cudnn]"}));
  }
  // A session that wants CUDA loads the bridge and then the provider, both by path with LOAD_WITH_ALTERED_SEARCH_PATH: the
  // provider's folder and PATH, not os.add_dll_directory (onnxruntime/core/platform/windows/env.cc).
  const auto shared = join_path(capi, "onnxruntime_providers_shared.dll"), provider = join_path(capi, provider_name);
  faults.note(loader.load(shared, kAlteredSearchPath), shared, module, Effect::no_gpu, LinkId::gpu_libraries, DllSearch::with_path);
  const auto outcome = loader.load(provider, kAlteredSearchPath);
  const bool opened = faults.note(outcome, provider, module, Effect::no_gpu, LinkId::gpu_libraries, DllSearch::with_path);
  const auto runtime = runtime_of(chain.snapshot(), provider);
  chain.cuda_major = runtime.major;
  faults.finish();
  if (!opened) return;
  const auto driver = judge_nvcuda(chain, process, kSearchSystem32, Effect::no_gpu);
  judge_driver_version(chain, driver, runtime, Effect::no_gpu);
  judge_gpu_code(chain, driver, {provider}, {0, 0}, Effect::no_compute);
}

}  // namespace gpuway
