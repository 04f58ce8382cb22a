#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/gpu/cpu_build.h"
#include "think/rules/driver/cuda_driver.h"
#include "think/rules/gpu/cudnn_age.h"
#include "think/rules/gpu/cuda_names.h"
#include "think/knowledge/loads.h"
#include "think/rules/gpu/cudnn_parts.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/frameworks/jax_settings.h"
#include "think/rules/frameworks/settings.h"
#include "think/rules/gpu/gpu_code.h"
#include "think/rules/gpu/gpu_libraries.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"
#include "think/rules/python/python_process.h"

namespace gpuway {
namespace {

// The plug-in of one CUDA major, where it lies.
struct Plugin {
  std::string folder;      // .../jax_plugins/xla_cuda12
  std::string extension;   // .../jax_cuda12_plugin/_versions.so
  std::string text;        // its __init__.py
  int cuda = 0;
};

// jax finds plug-ins by their folders below jax_plugins on sys.path (xla_bridge.discover_pjrt_plugins).
Plugin find_plugin(ChainBuilder& chain, bool& pending) {
  for (const int cuda : {13, 12}) {
    for (const auto& place : chain.environment().search_path) {
      if (place.origin == "stdlib" || place.origin == "script" || !place.exists) continue;
      const auto folder = place.path + "/jax_plugins/xla_cuda" + std::to_string(cuda);
      const auto state = chain.text_state(folder + "/__init__.py");
      pending = pending || state == FactState::undetermined;
      if (state != FactState::known) continue;
      return {folder, place.path + "/jax_cuda" + std::to_string(cuda) + "_plugin/_versions.so", *chain.text(folder + "/__init__.py"), cuda};
    }
  }
  return {};
}

// `_load("cublas", ["libcublas.so.12", "libcublasLt.so.12"])` in the plug-in's own text, in order.
struct Preload {
  std::string package, library;
};
std::vector<Preload> preloads_of(std::string_view text) {
  std::vector<Preload> out;
  constexpr std::string_view mark = "_load(\"";
  for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const auto name_begin = at + mark.size(), name_end = text.find('"', name_begin);
    const auto close = text.find(')', at);
    if (name_end == std::string_view::npos || close == std::string_view::npos) break;
    const auto package = std::string(text.substr(name_begin, name_end - name_begin));
    for (auto quote = text.find('"', name_end + 1); quote < close; quote = text.find('"', quote + 1)) {
      const auto end = text.find('"', quote + 1);
      if (end == std::string_view::npos) break;
      out.push_back({package, std::string(text.substr(quote + 1, end - quote - 1))});
      quote = end;
    }
  }
  return out;
}

// The libraries whose versions the plug-in asks before it offers a device, in order, read from its own text:
// `_version_check("cuDNN", cuda_versions.cudnn_get_version, …)`. Releases before 0.4.31 ask none.
std::vector<std::string> checked_libraries(std::string_view text, CudaVersion level) {
  std::vector<std::string> names;
  constexpr std::string_view before = "cuda_versions.", after = "_get_version";
  for (const auto line : split_lines(text)) {
    const auto statement = trim(line);
    const auto begin = statement.find(before), end = statement.find(after);
    if (statement.starts_with('#') || begin == std::string_view::npos || end == std::string_view::npos || end < begin) continue;
    const auto word = statement.substr(begin + before.size(), end - begin - before.size());
    const auto name = word == "cudnn" ? "libcudnn.so.9" : cuda_library_file("linux", word == "cuda_runtime" ? "cudart" : word, level);
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

// The function that the check of each library calls (jaxlib/cuda/versions_helpers.cc).
std::string version_function(std::string_view library) {
  constexpr std::pair<std::string_view, std::string_view> rows[] = {{"libcudart.", "cudaRuntimeGetVersion"}, {"libcufft.", "cufftGetVersion"},
                                                                    {"libcupti.", "cuptiGetVersion"},        {"libcublas.", "cublasGetProperty"},
                                                                    {"libcusparse.", "cusparseGetProperty"}};
  for (const auto& [stem, function] : rows) {
    if (library.starts_with(stem)) return std::string(function);
  }
  return {};
}

// Whether the check finds its function in the file that was loaded under that name.
bool answers_version(ChainBuilder& chain, const std::string& name, const std::string& path, const std::string& asker) {
  const auto function = version_function(name);
  if (function.empty()) return true;
  const auto held = holds_bytes(chain, path, function);
  if (held.is_undetermined()) chain.undetermined(LinkId::gpu_libraries, Effect::no_gpu, path + ": not read");
  if (!held.is_known() || *held) return true;
  auto& finding = chain.add(LinkId::gpu_libraries, "cuda-library-missing-symbol", Effect::no_gpu, Severity::error);
  set_args(finding, {{"framework", chain.chain.framework}, {"library", name}, {"symbol", function}, {"version", std::string()}, {"asked_by", asker}});
  add_evidence(finding, "file", path, "does not define " + function);
  set_next_step(finding, "align-cuda-libraries", {install_command(chain, {"jax[cuda12]==" + chain.chain.version}, {"--force-reinstall"})});
  chain.missing(name, asker, false, Effect::no_gpu);
  return false;
}

// JAX looks for device nodes before it tries its CUDA back end (hardware_utils.has_visible_nvidia_gpu).
void judge_nodes(ChainBuilder& chain) {
  bool known = true;
  for (const auto* path : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg"}) {
    const auto* node = device_node(chain.snapshot(), path);
    if (node == nullptr || node->usable.is_undetermined()) known = false;
    if (node != nullptr && (node->usable.is_known() || !node->detail.empty())) return;
  }
  if (!known) {
    chain.undetermined(LinkId::device, Effect::no_gpu, "device nodes were not looked at");
    return;
  }
  auto& finding = chain.add(LinkId::device, "device-node-missing", Effect::no_gpu, Severity::error);
  set_args(finding, {{"path", std::string("/dev/nvidia0")}});
  for (const auto* path : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg"}) add_evidence(finding, "file", path, "does not exist");
  set_node_step(chain.snapshot(), finding);
}

// Whether this release has that look; older ones do not.
bool looks_for_nodes(ChainBuilder& chain, const std::string& folder) {
  const auto path = folder + "/_src/xla_bridge.py";
  const auto* text = chain.text(path);
  if (text == nullptr && chain.text_state(path) == FactState::undetermined) {
    chain.undetermined(LinkId::device, Effect::no_gpu, path + " was not read");
  }
  return text != nullptr && text->find("has_visible_nvidia_gpu") != std::string::npos;
}

// Where XLA is: in jaxlib, under the names of several releases, and once more in the plug-in.
std::vector<std::string> xla_files(ChainBuilder& chain, const std::string& plugin_folder) {
  std::vector<std::string> files;
  if (const auto* jaxlib = chain.import_of("jaxlib")) {
    for (const auto* name : {"libjax_common.so", "_jax.so", "xla_extension.so"}) files.push_back(join_path(parent_path(jaxlib->path), name));
  }
  files.push_back(plugin_folder + "/xla_cuda_plugin.so");
  return files;
}

}  // namespace

void judge_jax(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  const auto folder = judge_python_links(chain, rule);
  if (folder.empty()) return;
  judge_jax_switches(chain, folder);
  bool pending = false;
  const auto plugin = find_plugin(chain, pending);
  if (plugin.cuda == 0) {
    if (pending) {
      chain.undetermined(LinkId::wheel, Effect::no_gpu, "jax_plugins was not looked at");
      return;
    }
    chain.chain.flavour = "cpu";
    judge_xla_flags(chain, "XLA_FLAGS", xla_files(chain, folder));
    judge_cpu_build(chain, folder, "no jax_plugins/xla_cuda12 or xla_cuda13", {install_command(chain, {"jax[cuda12]==" + chain.chain.version})});
    return;
  }
  chain.chain.flavour = "cuda";
  chain.cuda_expected = true;
  chain.cuda_major = plugin.cuda;
  judge_xla_flags(chain, "XLA_FLAGS", xla_files(chain, plugin.folder));
  if (!chooses_cuda(chain)) return;

  PythonProcess process(chain);
  auto& loader = process.loader();
  if (process.start().state == LoadOutcome::State::undetermined) {
    chain.undetermined(LinkId::interpreter, Effect::import_fails, "interpreter: " + process.start().reason);
  }
  LibraryFaults faults(chain, true);
  const auto level = CudaVersion{plugin.cuda, 0};
  // `import jax` already opens the runtime through the plug-in's solver module.
  const auto solver = parent_path(plugin.extension) + "/_solver.so";
  const auto solver_object = process.import_extension(solver, false);
  if (solver_object.state == LoadOutcome::State::loaded) {
    const auto cudart = cuda_library_file("linux", "cudart", level);
    faults.note(loader.open({.name = cudart, .caller = solver_object.object}), cudart, solver, Effect::harmless, LinkId::gpu_libraries, Effect::import_dies);
  } else if (solver_object.state == LoadOutcome::State::undetermined) {
    chain.undetermined(LinkId::gpu_libraries, Effect::no_gpu, solver + " was not read");
  }
  // The plug-in opens NVIDIA's wheels by path and passes over what fails.
  for (const auto& preload : preloads_of(plugin.text)) {
    for (const auto& place : chain.environment().search_path) {
      if (place.origin == "stdlib" || !place.exists) continue;
      const auto home = place.path + "/nvidia/" + preload.package + "/lib";
      const auto view = chain.snapshot().folders.find(home);
      if (view == chain.snapshot().folders.end()) {
        chain.wants().folders.emplace(home, true);
        chain.undetermined(LinkId::gpu_libraries, Effect::no_gpu, home + " was not listed");
        continue;
      }
      if (!view->second.holds(preload.library)) continue;
      const auto path = home + "/" + preload.library;
      faults.note(process.open_by_ctypes(path, false), path, plugin.folder, Effect::harmless);
      break;
    }
  }
  // Then version checks call into them through the _versions module; the first that cannot be reached ends it.
  const auto* skip = chain.variable("JAX_SKIP_CUDA_CONSTRAINTS_CHECK");
  const auto checked = skip == nullptr || skip->empty() ? checked_libraries(plugin.text, level) : std::vector<std::string>{};
  const auto versions = checked.empty() ? LoadOutcome{} : process.import_extension(plugin.extension, false);
  if (!checked.empty() && !faults.note(versions, plugin.extension, plugin.folder, Effect::no_gpu)) {
    faults.finish();
    return;
  }
  for (const auto& name : checked) {
    const auto outcome = loader.open({.name = name, .caller = versions.object});
    const auto loaded = faults.note(outcome, name, plugin.extension, Effect::no_gpu);
    if (loaded && name == "libcudnn.so.9") judge_cudnn_call(chain, process, faults, 9, "cudnnGetVersion");
    if (!loaded || !answers_version(chain, name, loader.objects()[static_cast<std::size_t>(outcome.object)].path, plugin.extension)) break;
  }
  faults.finish();
  judge_cudnn_age(chain, process, chain.package("jax-cuda" + std::to_string(plugin.cuda) + "-plugin"), 9,
                  checked.empty() ? Effect::harmless : Effect::no_gpu);
  const auto library = plugin.folder + "/xla_cuda_plugin.so";
  const auto backend = process.import_extension(library, false);
  if (backend.state != LoadOutcome::State::loaded) {
    LibraryFaults own(chain, true);
    own.note(backend, library, plugin.folder, Effect::no_gpu);
    own.finish();
    return;
  }
  if (looks_for_nodes(chain, folder)) judge_nodes(chain);
  const auto driver = judge_cuda_driver(chain, process, backend.object, Effect::no_gpu);
  // Newer plug-ins carry wrappers for all of NVML and give up where it does not work; older ones ask it about NVLink only.
  // The plug-in is large, so it is searched only where a device makes the question matter.
  if (driver.settled && driver.may_offer_devices()) {
    const auto needs_nvml = holds_bytes(chain, library, "nvmlInitWithFlags");
    if (needs_nvml.is_undetermined()) chain.undetermined(LinkId::driver_library, Effect::no_gpu, library + " was not searched");
    if (needs_nvml.value_or(false)) judge_nvml(chain, process, backend.object, driver, Effect::no_gpu);
  }
  judge_visible_devices(chain, driver);
  judge_driver_version(chain, driver, level, checked.empty() ? Effect::no_compute : Effect::no_gpu);
  judge_gpu_code(chain, driver, {plugin.folder + "/xla_cuda_plugin.so"}, {3, 5}, Effect::no_gpu);
}

}  // namespace gpuway
