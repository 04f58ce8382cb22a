#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/gpu/cpu_build.h"
#include "think/rules/gpu/cuda_names.h"
#include "think/rules/gpu/gpu_code.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/companion_packages.h"
#include "think/rules/python/python_links.h"
#include "think/rules/windows/dll_faults.h"
#include "think/rules/windows/windows_chains.h"
#include "think/rules/windows/windows_driver.h"

namespace gpuway {
namespace {

// torch/__init__.py, _load_dll_libraries: announces its folders, loads Microsoft's runtime by name, then every DLL of
// torch\lib by its path; one that does not load with search flags (126) is tried once more with PATH, torch\lib first.
class TorchDlls {
 public:
  TorchDlls(ChainBuilder& chain, WindowsPython& process, const std::string& folder) : chain_(chain), process_(process), lib_(join_path(folder, "lib")), init_(join_path(folder, "__init__.py")), faults_(chain) {}

  bool load() {
    auto& loader = process_.loader();
    loader.add_dll_directory(lib_);
    for (const auto& prefix : {chain_.environment().path, chain_.environment().base_prefix}) {
      if (!prefix.empty()) loader.add_dll_directory(join_path(prefix, "Library/bin"));
    }
    const auto listed = chain_.snapshot().folders.find(lib_);
    if (listed == chain_.snapshot().folders.end()) {
      loader.held(lib_, "");
      chain_.undetermined(LinkId::wheel, Effect::import_fails, lib_ + " was not listed");
      return false;
    }
    // What is missing here is only told: the DLLs below fail by themselves.
    for (const auto* name : {"vcruntime140.dll", "msvcp140.dll", "vcruntime140_1.dll"}) process_.open_by_ctypes(name);
    bool all = true, path_is_patched = false;
    for (const auto& name : listed->second.names) {
      if (!to_lower(name).ends_with(".dll")) continue;
      const auto path = join_path(lib_, name);
      auto outcome = loader.load(path, kSearchDefaultDirs | kSearchDllLoadDir);
      if (outcome.state == DllOutcome::State::failed && outcome.failure->code == 126) {
        if (!std::exchange(path_is_patched, true)) loader.prepend_path(lib_);
        auto again = loader.load(path, 0);
        if (again.state != DllOutcome::State::failed) outcome = std::move(again);
      }
      all = faults_.note(outcome, path, init_, Effect::import_fails, LinkId::interpreter, DllSearch::without_path) && all;
      if (!all && outcome.state == DllOutcome::State::failed) break;   // the first one that fails raises
    }
    faults_.finish();
    return all;
  }

 private:
  ChainBuilder& chain_;
  WindowsPython& process_;
  std::string lib_, init_;
  DllFaults faults_;
};

}  // namespace

void judge_pytorch_on_windows(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  const auto folder = judge_python_links(chain, rule);
  if (folder.empty() || chain.environment().real_executable.is_absent()) return;   // no Python, nothing to replay
  const auto version_file = join_path(folder, "version.py");
  const auto* text = chain.text(version_file);
  if (text == nullptr) {
    chain.undetermined(LinkId::wheel, Effect::no_gpu, version_file + " was not read");
    return;
  }
  const auto cuda = python_constant(*text, "cuda"), xpu = python_constant(*text, "xpu");
  const auto level = cuda_level(cuda);
  const bool directml = chain.package("torch-directml") != nullptr;
  chain.chain.flavour = level.major > 0 ? "cuda" : !xpu.empty() && xpu != "None" ? "xpu" : "cpu";
  chain.cuda_expected = level.major > 0;
  chain.cuda_major = level.major;
  WindowsPython process(chain);
  if (process.start().state == DllOutcome::State::undetermined) {
    chain.undetermined(LinkId::interpreter, Effect::import_fails, "interpreter: " + process.start().reason);
  }
  if (!TorchDlls(chain, process, folder).load()) return;
  if (chain.chain.flavour == "xpu") return judge_other_vendor_build(chain);
  if (!chain.cuda_expected) {
    // torch-directml is a device of its own beside a CPU build: torch.cuda is not what its user asks.
    if (!directml) {
      judge_cpu_build(chain, version_file, "cuda None",
                      replace_commands(chain, {"torch"}, {"torch"}, {"--index-url", "https://download.pytorch.org/whl/cu126"}));
    }
    return;
  }
  judge_torch_companions(chain);
  const auto driver = judge_nvcuda(chain, process, kSearchSystem32, Effect::no_gpu);
  judge_driver_version(chain, driver, level, Effect::no_gpu);
  const auto lib = join_path(folder, "lib");
  std::vector<std::string> files;
  for (const auto* name : {"torch_cuda.dll", "torch_cuda_cu.dll", "torch_cuda_cpp.dll"}) {
    if (process.loader().held(lib, name)) files.push_back(join_path(lib, name));
  }
  judge_gpu_code(chain, driver, files, {0, 0}, Effect::no_compute);
}

}  // namespace gpuway
