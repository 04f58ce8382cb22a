#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/knowledge/loads.h"
#include "think/rules/gpu/cpu_build.h"
#include "think/rules/gpu/cudnn_parts.h"
#include "think/rules/driver/cuda_driver.h"
#include "think/rules/gpu/cudnn_age.h"
#include "think/rules/gpu/cuda_names.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/frameworks/settings.h"
#include "think/rules/gpu/gpu_code.h"
#include "think/rules/gpu/gpu_libraries.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"
#include "think/rules/python/python_process.h"
#include "think/rules/frameworks/tensorflow_plugins.h"

namespace gpuway {
namespace {

constexpr std::string_view kSystem = "linux";

// What one TensorFlow build is, read from its own files.
struct Build {
  std::string folder;           // .../site-packages/tensorflow
  bool known = false;
  bool cuda = false, rocm = false;
  CudaVersion cuda_level;
  int cudnn_major = 0;
  CudaVersion release;          // of TensorFlow
  bool at_least(int major, int minor) const { return release >= CudaVersion{major, minor}; }
  std::string file(const LoadRow& row) const { return file_of_load(row, cuda_level, cudnn_major); }
};

Build read_build(ChainBuilder& chain, const std::string& folder) {
  Build build;
  build.folder = folder;
  build.release = cuda_level(chain.chain.version);
  const auto path = join_path(folder, "python/platform/build_info.py");
  const auto* text = chain.text(path);
  if (text == nullptr) return build;
  build.known = true;
  build.cuda = python_constant(*text, "is_cuda_build") == "True";
  build.rocm = python_constant(*text, "is_rocm_build") == "True";
  build.cuda_level = cuda_level(python_constant(*text, "cuda_version"));
  build.cudnn_major = cuda_level(python_constant(*text, "cudnn_version")).major;
  // Before 2.3 the file names no versions; the releases' own build tables do (shared facts: tensorflow.toml).
  if (build.cuda && build.cuda_level.major == 0) {
    build.cuda_level = build.at_least(2, 1) ? CudaVersion{10, 1} : CudaVersion{10, 0};
    if (build.at_least(2, 4)) build.cuda_level = {};
  }
  if (build.cuda && build.cudnn_major == 0) build.cudnn_major = build.at_least(2, 18) ? 9 : build.at_least(2, 4) ? 8 : 7;
  return build;
}

// Opens TensorFlow's own libraries as `import tensorflow` does.
bool import_core(ChainBuilder& chain, PythonProcess& process, const Build& build) {
  const auto flags = chain.text_state(join_path(build.folder, "python/pywrap_dlopen_global_flags.py"));
  const auto core = join_path(build.folder, "python/_pywrap_tensorflow_internal.so");
  LibraryFaults faults(chain, false);
  const auto outcome = process.import_extension(core, flags == FactState::known);
  const bool loaded = faults.note(outcome, core, chain.environment().executable, Effect::import_fails, LinkId::interpreter, Effect::import_dies);
  faults.finish();
  return loaded;
}

// TensorFlow passes over devices with few multiprocessors: by default those with fewer than 8 beside a larger one
// (GetMinGPUMultiprocessorCount in gpu_device.cc).
void judge_small_devices(ChainBuilder& chain, const DriverAnswer& driver) {
  if (driver.report == nullptr || driver.report->devices.empty()) return;
  int largest = 0;
  for (const auto& device : driver.report->devices) {
    if (device.multiprocessors == 0) return;
    largest = std::max(largest, device.multiprocessors);
  }
  const auto* variable = chain.variable("TF_MIN_GPU_MULTIPROCESSOR_COUNT");
  const auto wanted = variable == nullptr ? std::nullopt : to_integer(trim(*variable));
  const bool chosen = wanted && *wanted >= 0;
  const auto least = chosen ? *wanted : std::min(largest, 8);
  const auto taken = std::count_if(driver.report->devices.begin(), driver.report->devices.end(),
                                   [&](const DriverDevice& device) { return device.multiprocessors >= least; });
  if (taken > 0) {
    if (static_cast<std::size_t>(taken) < driver.report->devices.size()) chain.chain.device_count = static_cast<int>(taken);
    return;
  }
  note_cpu_chosen(chain, "TF_MIN_GPU_MULTIPROCESSOR_COUNT", *variable);
}

}  // namespace

void judge_tensorflow(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  const auto folder = judge_python_links(chain, rule);
  if (folder.empty()) return;
  const auto build = read_build(chain, folder);
  if (!build.known) {
    const auto state = chain.text_state(join_path(folder, "python/platform/build_info.py"));
    if (state == FactState::undetermined) chain.undetermined(LinkId::wheel, Effect::no_gpu, "build_info.py was not read");
    if (chain.chain.package == "tensorflow-cpu" || state == FactState::absent) chain.chain.flavour = "undetermined";
    return;
  }
  chain.chain.flavour = build.cuda ? "cuda" : build.rocm ? "rocm" : "cpu";
  chain.cuda_expected = build.cuda;
  chain.cuda_major = build.cuda_level.major;

  PythonProcess process(chain);
  if (process.start().state == LoadOutcome::State::undetermined) {
    chain.undetermined(LinkId::interpreter, Effect::import_fails, "interpreter: " + process.start().reason);
  }
  const bool loaded = import_core(chain, process, build);
  // Listing devices reads the flags of TensorFlow's own part of XLA; those of XLA_FLAGS wait for the first compilation.
  judge_xla_flags(chain, "TF_XLA_FLAGS",
                  {join_path(folder, build.at_least(2, 11) ? "libtensorflow_cc.so.2" : "python/_pywrap_tensorflow_internal.so"),
                   join_path(folder, "libtensorflow_framework.so.2")});
  if (loaded && build.at_least(2, 5)) {
    judge_tensorflow_plugins(chain, process, std::max(process.loader().find_loaded("libtensorflow_framework.so.2"), 0));
  }
  if (!build.cuda) {
    if (chain.chain.flavour == "directml") return;
    if (build.rocm) {
      judge_other_vendor_build(chain);
    } else {
      judge_cpu_build(chain, join_path(folder, "python/platform/build_info.py"), "is_cuda_build False",
                      replace_commands(chain, {chain.chain.package}, {"tensorflow[and-cuda]"}));
    }
    return;
  }
  if (!loaded) return;

  const auto* holder = holder_of("tensorflow", kSystem, build.release);
  const int caller = holder == nullptr ? -1 : process.loader().find_loaded(holder->opens);
  if (caller < 0) {
    chain.undetermined(LinkId::gpu_libraries, Effect::no_gpu, "TensorFlow's own library was not found among those loaded");
    return;
  }
  const auto asker = process.loader().objects()[static_cast<std::size_t>(caller)].path;
  LibraryFaults faults(chain, build.at_least(2, 14));
  for (const auto* row : loads_of("tensorflow", kSystem, build.release, LoadStage::import)) {
    const auto name = build.file(*row);
    faults.note(process.loader().open({.name = name, .caller = caller}), name, asker, row->harmless ? Effect::harmless : Effect::no_gpu,
                LinkId::gpu_libraries, Effect::import_dies);
  }
  const auto driver = judge_cuda_driver(chain, process, caller, Effect::no_gpu);
  if (build.at_least(2, 21)) judge_nvml(chain, process, caller, driver, Effect::no_gpu);
  // Without a device these libraries are not opened, so a damaged one kills nothing; it would break next.
  const auto dying = driver.may_offer_devices() ? Effect::process_dies : Effect::no_gpu;
  for (const auto* row : loads_of("tensorflow", kSystem, build.release, LoadStage::devices)) {
    const auto name = build.file(*row);
    faults.note(process.loader().open({.name = name, .caller = caller}), name, asker, row->harmless ? Effect::harmless : Effect::no_gpu,
                LinkId::gpu_libraries, dying);
    // From 2.21 on TensorFlow asks cuDNN, which it opens first, for its version when it lists devices.
    if (row->library == "cudnn" && build.at_least(2, 21) && driver.settled && driver.may_offer_devices()) {
      judge_cudnn_call(chain, process, faults, build.cudnn_major, "cudnnGetProperty");
    }
  }
  faults.finish();
  judge_cudnn_age(chain, process, chain.package(chain.chain.package), build.cudnn_major, Effect::harmless);

  auto runtime = build.cuda_level;
  const auto cudart = cuda_library_file(kSystem, "cudart", build.cuda_level);
  if (process.loader().find_loaded(cudart) >= 0) runtime = level_of_cudart(cudart);
  judge_small_devices(chain, driver);
  judge_driver_version(chain, driver, runtime, Effect::no_compute);
  const auto code = process.loader().find_loaded(holder->code);
  std::vector<std::string> files;
  if (code >= 0) files.push_back(process.loader().objects()[static_cast<std::size_t>(code)].path);
  judge_gpu_code(chain, driver, files, {3, 5}, Effect::no_gpu);
}

}  // namespace gpuway
