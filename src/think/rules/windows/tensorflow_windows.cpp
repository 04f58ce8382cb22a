#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/knowledge/loads.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/gpu/cpu_build.h"
#include "think/rules/gpu/cuda_names.h"
#include "think/rules/gpu/gpu_code.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"
#include "think/rules/windows/directml_windows.h"
#include "think/rules/windows/dll_faults.h"
#include "think/rules/windows/windows_chains.h"
#include "think/rules/windows/windows_driver.h"
#include "think/rules/wsl/wsl_way.h"

namespace gpuway {
namespace {

constexpr std::string_view kSystem = "windows";

struct Build {
  std::string folder;
  bool known = false, cuda = false;
  CudaVersion release, cuda_level;
  int cudnn_major = 0;
  bool at_least(int major, int minor) const { return release >= CudaVersion{major, minor}; }
};

// On Windows the file writes versions as they stand in file names: '64_112' and '64_8'. The name of the runtime that it
// gives is not the one that TensorFlow opens (it says cudart64_112.dll, 2.10 opens cudart64_110.dll).
Build read_build(ChainBuilder& chain, const std::string& folder) {
  Build build;
  build.folder = folder;
  build.release = cuda_level(chain.chain.version);
  const auto* text = chain.text(join_path(folder, "python/platform/build_info.py"));
  if (text == nullptr) return build;
  build.known = true;
  build.cuda = python_constant(*text, "is_cuda_build") == "True";
  const auto number = [&](const char* key) {
    auto value = python_constant(*text, key);
    return value.starts_with("64_") ? value.substr(3) : value;
  };
  const auto cuda = number("cuda_version");
  if (cuda.find('.') == std::string::npos && cuda.size() >= 3) {
    build.cuda_level = cuda_level(cuda.substr(0, cuda.size() - 1) + "." + cuda.substr(cuda.size() - 1));
  } else {
    build.cuda_level = cuda_level(cuda);
  }
  build.cudnn_major = cuda_level(number("cudnn_version")).major;
  if (build.cuda && build.cuda_level.major == 0) build.cuda_level = build.at_least(2, 5) ? CudaVersion{11, 2} : build.at_least(2, 4) ? CudaVersion{11, 0} : build.at_least(2, 1) ? CudaVersion{10, 1} : CudaVersion{10, 0};
  if (build.cuda && build.cudnn_major == 0) build.cudnn_major = build.at_least(2, 4) ? 8 : 7;
  return build;
}

// Before anything else TensorFlow loads Microsoft's runtime by name (tensorflow/python/platform/self_check.py), with ctypes
// and so, since Python 3.8, without PATH.
bool check_cpp_runtime(ChainBuilder& chain, WindowsPython& process, DllFaults& faults, const std::string& folder) {
  const auto asker = join_path(folder, "python/platform/self_check.py");
  const auto* text = chain.text(asker);
  bool loaded = true;
  for (const auto* name : {"msvcp140.dll", "msvcp140_1.dll"}) {
    if (text != nullptr && text->find(name) == std::string::npos) continue;
    const auto search = process.has_search_flags() ? DllSearch::without_path : DllSearch::with_path;
    loaded = faults.note(process.open_by_ctypes(name), name, asker, Effect::import_fails, LinkId::interpreter, search) && loaded;
  }
  return loaded;
}

// Since 2.11 there are no builds with CUDA for Windows (tensorflow.org/install/pip, 2022-11).
void judge_build_without_gpu(ChainBuilder& chain, const Build& build) {
  const auto file = join_path(build.folder, "python/platform/build_info.py");
  if (!build.at_least(2, 11)) {
    return judge_cpu_build(chain, file, "is_cuda_build False",
                           replace_commands(chain, {chain.chain.package}, {"tensorflow==2.10.1", "numpy<2"}));
  }
  const auto presence = nvidia_presence(chain.snapshot());
  if (presence.state != GpuPresence::State::present) return;
  auto& finding = chain.add(LinkId::wheel, "tf-windows-native-gpu-ended", Effect::no_gpu, Severity::error);
  set_args(finding, {{"version", chain.chain.version}, {"package", chain.chain.package}});
  add_evidence(finding, "file", file, "is_cuda_build False");
  finding.evidence.push_back(presence.evidence);
  set_way_into_wsl(chain.snapshot(), finding);
}

// A copy in System32 is found before every folder of PATH, also when it is another release's.
void note_shadowing_copies(ChainBuilder& chain, WindowsPython& process) {
  for (const auto& module : process.loader().modules()) {
    if (module.rule != "system-folder" || (!is_cuda_dll(module.name) && !is_cudnn_dll(module.name))) continue;
    const auto elsewhere = find_dll_elsewhere(chain, module.name);
    const auto other = std::find_if(elsewhere.exact.begin(), elsewhere.exact.end(), [&](const DllElsewhere::Found& found) { return to_lower(found.path) != to_lower(module.path); });
    if (other == elsewhere.exact.end()) continue;
    auto& finding = chain.add(LinkId::gpu_libraries, "wheel-libraries-shadowed", Effect::harmless, Severity::warning);
    set_args(finding, {{"library", module.name}, {"path", module.path}, {"hidden", other->path}});
    add_evidence(finding, "file", module.path, "taken");
    add_evidence(finding, "file", other->path, "hidden by it");
    set_next_step(finding, "remove-system-copy", {"Get-Item " + shell_word(module.path)});
    return;
  }
}

}  // namespace

void judge_tensorflow_on_windows(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  const auto folder = judge_python_links(chain, rule);
  if (folder.empty() || chain.environment().real_executable.is_absent()) return;   // no Python, nothing to replay
  const auto build = read_build(chain, folder);
  if (!build.known) {
    if (chain.text_state(join_path(folder, "python/platform/build_info.py")) == FactState::undetermined) {
      chain.undetermined(LinkId::wheel, Effect::no_gpu, "build_info.py was not read");
    }
    return;
  }
  chain.chain.flavour = build.cuda ? "cuda" : "cpu";
  chain.cuda_expected = build.cuda;
  chain.cuda_major = build.cuda_level.major;

  WindowsPython process(chain);
  auto& loader = process.loader();
  if (process.start().state == DllOutcome::State::undetermined) {
    chain.undetermined(LinkId::interpreter, Effect::import_fails, "interpreter: " + process.start().reason);
  }
  DllFaults faults(chain);
  const bool runtime = check_cpp_runtime(chain, process, faults, folder);
  const auto core = join_path(folder, "python/_pywrap_tensorflow_internal.pyd");
  const auto search = process.has_search_flags() ? DllSearch::without_path : DllSearch::with_path;
  const bool loaded = runtime && faults.note(process.import_extension(core), core, core, Effect::import_fails, LinkId::interpreter, search);
  if (loaded) judge_directml_plugin(chain, process);
  if (!build.cuda) {
    faults.finish();
    if (chain.chain.flavour != "directml") judge_build_without_gpu(chain, build);
    return;
  }
  if (!loaded) {
    faults.finish();
    return;
  }
  // LoadLibraryEx("cudart64_110.dll", LOAD_WITH_ALTERED_SEARCH_PATH) with a bare name: the standard order, PATH included,
  // whatever os.add_dll_directory says (measured with 2.10.1).
  for (const auto* row : loads_of("tensorflow", kSystem, build.release, LoadStage::import)) {
    const auto name = file_of_load(*row, build.cuda_level, build.cudnn_major);
    faults.note(loader.load(name, kAlteredSearchPath), name, core, row->harmless ? Effect::harmless : Effect::no_gpu, LinkId::gpu_libraries,
                DllSearch::with_path);
  }
  const auto driver = judge_nvcuda(chain, process, kAlteredSearchPath, Effect::no_gpu);
  for (const auto* row : loads_of("tensorflow", kSystem, build.release, LoadStage::devices)) {
    const auto name = file_of_load(*row, build.cuda_level, build.cudnn_major);
    faults.note(loader.load(name, kAlteredSearchPath), name, core, row->harmless ? Effect::harmless : Effect::no_gpu, LinkId::gpu_libraries,
                DllSearch::with_path);
  }
  faults.finish();
  note_shadowing_copies(chain, process);
  judge_driver_version(chain, driver, build.cuda_level, Effect::no_compute);
  judge_gpu_code(chain, driver, {core}, {3, 5}, Effect::no_gpu);
}

}  // namespace gpuway
