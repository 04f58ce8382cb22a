#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/knowledge/python_pins.h"
#include "think/rules/gpu/cpu_build.h"
#include "think/rules/gpu/cudnn_parts.h"
#include "think/rules/driver/cuda_driver.h"
#include "think/rules/gpu/cuda_names.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/frameworks/onnxruntime_provider.h"
#include "think/rules/gpu/gpu_code.h"
#include "think/rules/gpu/gpu_libraries.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"
#include "think/rules/python/python_process.h"
#include "think/rules/python/python_release.h"

namespace gpuway {
namespace {

const FolderView* listing(ChainBuilder& chain, const std::string& folder) {
  const auto found = chain.snapshot().folders.find(folder);
  if (found == chain.snapshot().folders.end()) {
    chain.wants().folders.emplace(folder, true);
    return nullptr;
  }
  return &found->second;
}

// A static object of the provider opens the driver's library while the provider is being loaded, and reports its absence
// through a part of ONNX Runtime that is not set up yet. Measured on 2026-12-01: 1.18.0, 1.18.1, 1.19.0, 1.19.2, 1.20.2,
// 1.21.1 and 1.22.0 end by a segmentation fault; 1.16.3, 1.17.1, 1.23.0 and 1.23.2 do not. With NVIDIA's own cuDNN 1.20
// comes not that far: a part of cuDNN that it names among its needs wants the driver's library itself.
bool dies_without_driver(const std::string& version) {
  return compare_versions(version, "1.18") >= 0 && compare_versions(version, "1.23.dev0") < 0;
}

// cuDNN comes by name when a session is made on a device; without it the provider works, with an unusable one the
// session raises, and its front library ends the process when its parts are gone (measured with 1.31.1).
void judge_session_cudnn(ChainBuilder& chain, PythonProcess& process, LibraryFaults& faults, const DriverAnswer& driver,
                         int object, const std::string& provider) {
  const auto provider_view = chain.snapshot().binaries.find(provider);
  if (provider_view != chain.snapshot().binaries.end() && provider_view->second.elf) {
    for (const auto& name : provider_view->second.elf->needed) {
      if (const auto level = level_of_cudart(name); level.major > 0) chain.cuda_major = level.major;
    }
  }
  const bool linked = provider_view != chain.snapshot().binaries.end() && provider_view->second.elf &&
                      std::any_of(provider_view->second.elf->needed.begin(), provider_view->second.elf->needed.end(),
                                  [](const std::string& name) { return name.starts_with("libcudnn."); });
  if (!driver.settled || !driver.may_offer_devices()) return;
  if (linked) return judge_cudnn_call(chain, process, faults, 9, "cudnnCreate");
  const std::string cudnn = "libcudnn.so.9";
  const auto part = process.loader().open({.name = cudnn, .caller = object});
  if (faults.note(part, cudnn, provider, Effect::harmless)) {
    const auto path = process.loader().objects()[static_cast<std::size_t>(part.object)].path;
    const auto usable = holds_bytes(chain, path, "cudnnCreate");
    if (usable.is_known() && !*usable) {
      auto& finding = chain.add(LinkId::gpu_libraries, "cuda-library-missing-symbol", Effect::no_gpu, Severity::error);
      set_args(finding, {{"framework", chain.chain.framework}, {"library", provider}, {"symbol", std::string("cudnnCreate")}, {"version", std::string()}, {"asked_by", path}});
      add_evidence(finding, "file", path, "does not define cudnnCreate");
      set_next_step(finding, "align-cuda-libraries", {install_command(chain, {cudnn_distribution(chain)}, {"--force-reinstall"})});
      chain.missing(cudnn, provider, false, Effect::no_gpu);
    } else {
      judge_cudnn_call(chain, process, faults, 9, "cudnnCreate");
    }
  }
}

// A session that wants CUDA opens the bridge first and then the provider, both by path (onnxruntime's
// ProviderLibrary::Load). `opener` is the Python module that does.
void judge_cuda_provider(ChainBuilder& chain, PythonProcess& process, LibraryFaults& faults, int opener,
                         const std::string& capi) {
  auto& loader = process.loader();
  const auto shared = join_path(capi, "libonnxruntime_providers_shared.so");
  const auto provider = join_path(capi, "libonnxruntime_providers_cuda.so");
  const auto asker = loader.objects()[static_cast<std::size_t>(opener)].path;
  const bool bridge = faults.note(loader.open({.name = shared, .caller = opener, .global = true}), shared, asker, Effect::no_gpu);
  const auto opened = loader.open({.name = provider, .caller = opener});
  const bool needs_driver = opened.failure && opened.failure->library == "libcuda.so.1";
  DriverAnswer driver;
  if (needs_driver) {
    // The provider names the driver among its needs: judge it as the driver link, not as a CUDA library.
    driver = judge_cuda_driver(chain, process, opener, Effect::no_gpu);
    faults.finish();
    return;
  }
  if (!faults.note(opened, provider, asker, Effect::no_gpu) || !bridge) {
    faults.finish();
    return;
  }
  const int object = opened.object;
  const auto without = dies_without_driver(chain.chain.version) ? Effect::process_dies : Effect::no_gpu;
  driver = judge_cuda_driver(chain, process, object, Effect::no_gpu, without);
  judge_session_cudnn(chain, process, faults, driver, object, provider);
  faults.finish();
  CudaVersion runtime;
  for (const auto& loaded : loader.objects()) {
    if (const auto level = level_of_cudart(file_name(loaded.path)); level.major > 0) runtime = level;
  }
  judge_driver_version(chain, driver, runtime, Effect::no_gpu);
  judge_gpu_code(chain, driver, {provider}, {0, 0}, Effect::no_compute);
}

}  // namespace

void judge_onnxruntime(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  const auto folder = judge_python_links(chain, rule);
  if (folder.empty()) return;
  const auto capi = folder + "/capi";
  const auto* view = listing(chain, capi);
  if (view == nullptr || (view->outcome != FolderView::Outcome::listed && view->outcome != FolderView::Outcome::missing)) {
    chain.undetermined(LinkId::wheel, Effect::import_fails, capi + " was not listed");
    return;
  }
  const bool cuda = view->holds("libonnxruntime_providers_cuda.so");
  const bool rocm = view->holds("libonnxruntime_providers_rocm.so") || view->holds("libonnxruntime_providers_migraphx.so");
  chain.chain.flavour = cuda ? "cuda" : rocm ? "rocm" : "cpu";
  chain.cuda_expected = cuda;

  PythonProcess process(chain);
  if (process.start().state == LoadOutcome::State::undetermined) {
    chain.undetermined(LinkId::interpreter, Effect::import_fails, "interpreter: " + process.start().reason);
  }
  const auto module = extension_among(view->names, "onnxruntime_pybind11_state", python_release(chain.environment()));
  const auto& names = view->names;
  const bool of_any_python = std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.starts_with("onnxruntime_pybind11_state"); });
  if (!module && !of_any_python) {   // a file is gone; a module of another Python would lie there under another ending
    auto& finding = chain.add(LinkId::import, "incomplete-package-install", Effect::import_fails, Severity::error);
    set_args(finding, {{"package", chain.chain.package}, {"detail", std::string("onnxruntime/capi/onnxruntime_pybind11_state")}});
    add_evidence(finding, "folder", capi, "holds no onnxruntime_pybind11_state module for any Python");
    set_next_step(finding, "reinstall-package", {install_command(chain, {chain.chain.package}, {"--force-reinstall"})});
    return;
  }
  if (!module) {
    auto& finding = chain.add(LinkId::interpreter, "no-wheel-for-python-version", Effect::import_fails, Severity::error);
    set_args(finding, {{"framework", chain.chain.framework}, {"python", python_label(chain.environment())}});
    add_evidence(finding, "folder", capi, "holds no onnxruntime_pybind11_state module for this Python");
    set_next_step(finding, "reinstall-package", {install_command(chain, {chain.chain.package}, {"--force-reinstall"})});
    return;
  }
  LibraryFaults faults(chain, true);
  const auto state = process.import_extension(join_path(capi, *module), false);
  const bool imported = faults.note(state, *module, chain.environment().executable, Effect::import_fails, LinkId::interpreter, Effect::import_dies);
  if (!cuda) {
    faults.finish();
    if (rocm) {
      judge_other_vendor_build(chain);
    } else if (judge_provider_gone(chain, capi, "libonnxruntime_providers_cuda.so")) {
      chain.chain.flavour = "cuda";
    } else {
      judge_cpu_build(chain, capi, "no libonnxruntime_providers_cuda.so",
                      replace_commands(chain, {chain.chain.package}, {"onnxruntime-gpu[cuda,cudnn]"}));
    }
    return;
  }
  // A CPU build's module that was written over the GPU build's knows no CUDA provider, and opens none.
  if (!imported || chain.takes_gpu("several-onnxruntime-packages")) {
    faults.finish();
    return;
  }
  judge_cuda_provider(chain, process, faults, state.object, capi);
}

}  // namespace gpuway
