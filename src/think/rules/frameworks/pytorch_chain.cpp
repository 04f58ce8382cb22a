#include <algorithm>
#include <optional>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/gpu/cpu_build.h"
#include "think/rules/python/companion_packages.h"
#include "think/rules/driver/cuda_driver.h"
#include "think/rules/gpu/cudnn_age.h"
#include "think/rules/gpu/cuda_names.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/gpu/gpu_code.h"
#include "think/rules/gpu/gpu_libraries.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"
#include "think/rules/python/python_process.h"
#include "think/rules/python/python_release.h"

namespace gpuway {
namespace {

// One library that torch/__init__.py opens by path: ("cublas", "libcublas.so.*[0-9]").
struct Preload {
  std::string folder, pattern;
  std::string stem() const { return pattern.substr(0, pattern.find('.')); }
};

// How torch/__init__.py of this very release loads CUDA libraries ahead of its own, read from its text. Releases differ:
// up to 2.7 or so two calls name what is opened after libtorch_global_deps, later one list serves both purposes.
struct PreloadRules {
  bool known = false;
  std::vector<Preload> fallback;     // opened when libtorch_global_deps does not load; all are required
  std::vector<Preload> afterwards;   // opened after it did; the first fault ends the series quietly
  std::string condition;             // afterwards only when a mapped path holds this text
  std::vector<std::string> optional; // stems that may be absent from the fallback
};

// Up to 2.4 the text quotes with ', later with ".
bool is_quote(char c) { return c == '"' || c == '\''; }

std::optional<std::string> quoted_at(std::string_view text, std::size_t& at) {
  if (at >= text.size() || !is_quote(text[at])) return std::nullopt;
  const auto end = text.find(text[at], at + 1);
  if (end == std::string_view::npos) return std::nullopt;
  auto value = std::string(text.substr(at + 1, end - at - 1));
  at = end + 1;
  return value;
}

PreloadRules read_preload_rules(std::string_view text) {
  PreloadRules rules;
  rules.known = true;
  constexpr std::string_view mark = ".so.*[0-9]";
  std::vector<Preload> direct;
  for (auto hit = text.find(mark); hit != std::string_view::npos; hit = text.find(mark, hit + 1)) {
    const auto mark_end = hit + mark.size();
    if (mark_end >= text.size() || !is_quote(text[mark_end])) continue;
    const char quote = text[mark_end];
    const auto pattern_begin = text.rfind(quote, hit);
    if (pattern_begin == std::string_view::npos) continue;
    auto at = pattern_begin;
    const auto pattern = quoted_at(text, at);
    // Before it stands the folder: ("cublas", "lib…") or "cublas": "lib…".
    auto before = text.substr(0, pattern_begin);
    while (!before.empty() && (before.back() == ' ' || before.back() == ',' || before.back() == ':')) before.remove_suffix(1);
    if (!pattern || before.size() < 2 || before.back() != quote) continue;
    const auto folder_begin = before.rfind(quote, before.size() - 2);
    if (folder_begin == std::string_view::npos) continue;
    Preload preload{std::string(before.substr(folder_begin + 1, before.size() - folder_begin - 2)), *pattern};
    const auto head = before.substr(0, folder_begin);
    if (head.ends_with("_preload_cuda_deps(")) {
      direct.push_back(std::move(preload));
    } else if (head.ends_with("_preload_cuda_lib(")) {
      rules.optional.push_back(preload.stem());
    } else {
      rules.fallback.push_back(std::move(preload));
    }
  }
  if (text.find("_preload_cuda_deps(required=False)") != std::string_view::npos) {
    rules.afterwards = rules.fallback;
    rules.condition = "libcudart.so";
  } else if (!direct.empty()) {
    rules.afterwards = std::move(direct);
    rules.condition = "nvidia/cuda_runtime/lib/libcudart.so";
  }
  return rules;
}

class TorchImport {
 public:
  TorchImport(ChainBuilder& chain, PythonProcess& process, std::string folder, std::string cuda_major)
      : chain_(chain), process_(process), folder_(std::move(folder)), cuda_major_(std::move(cuda_major)), faults_(chain, true) {}

  /// Replays `import torch`. False when it fails or cannot be followed.
  bool run() {
    const bool loaded = global_deps() && extension();
    faults_.finish();
    return loaded;
  }

 private:
  bool note(const LoadOutcome& outcome, const std::string& name, const std::string& asked_by) {
    return faults_.note(outcome, name, asked_by, Effect::import_fails, LinkId::gpu_libraries, Effect::import_dies);
  }

  // The first file of sys.path that glob() would find for a preload. Wants the listings it lacks.
  std::optional<std::string> find(const Preload& preload, bool& pending) {
    const auto prefix = preload.stem() + ".so.";
    for (const auto& place : chain_.environment().search_path) {
      if (!place.exists || place.origin == "stdlib") continue;
      std::vector<std::string> folders = {place.path + "/nvidia/" + preload.folder + "/lib"};
      if (!cuda_major_.empty()) folders.push_back(place.path + "/nvidia/cu" + cuda_major_ + "/lib");
      folders.push_back(place.path + "/" + preload.folder + "/lib");
      for (const auto& folder : folders) {
        const auto view = chain_.snapshot().folders.find(folder);
        if (view == chain_.snapshot().folders.end()) {
          chain_.wants().folders.emplace(folder, true);
          pending = true;
          continue;
        }
        for (const auto& name : view->second.names) {
          if (name.starts_with(prefix) && name.back() >= '0' && name.back() <= '9') return folder + "/" + name;
        }
      }
    }
    return std::nullopt;
  }

  bool global_deps() {
    const auto path = folder_ + "/lib/libtorch_global_deps.so";
    const auto* text = chain_.text(folder_ + "/__init__.py");
    if (text == nullptr) {
      chain_.undetermined(LinkId::gpu_libraries, Effect::import_fails, "torch/__init__.py was not read");
      return false;
    }
    const auto rules = read_preload_rules(*text);
    const auto outcome = process_.open_by_ctypes(path, true);
    if (outcome.state == LoadOutcome::State::loaded) {
      preload_afterwards(rules);
      return true;
    }
    if (outcome.state == LoadOutcome::State::failed && is_cuda_fault(rules, *outcome.failure)) return fall_back(rules, path);
    return note(outcome, path, chain_.environment().executable);
  }

  // torch looks for the libraries' names in the loader's message.
  static bool is_cuda_fault(const PreloadRules& rules, const LoadFailure& failure) {
    return std::any_of(rules.fallback.begin(), rules.fallback.end(), [&](const Preload& preload) {
      return failure.library.find(preload.stem()) != std::string::npos || failure.path.find(preload.stem()) != std::string::npos;
    });
  }

  bool fall_back(const PreloadRules& rules, const std::string& path) {
    bool pending = false;
    for (const auto& preload : rules.fallback) {
      const auto file = find(preload, pending);
      if (pending) {
        chain_.undetermined(LinkId::gpu_libraries, Effect::import_fails, preload.pattern + " was not looked for");
        return false;
      }
      if (!file) {
        // ValueError: "libcublas.so.*[0-9] not found in the system path": what is missing is what the first try lacked.
        return note(process_.open_by_ctypes(path, true), path, chain_.environment().executable);
      }
      if (!note(process_.open_by_ctypes(*file, false), *file, chain_.environment().executable)) return false;
    }
    return note(process_.open_by_ctypes(path, true), path, chain_.environment().executable);
  }

  void preload_afterwards(const PreloadRules& rules) {
    const auto& objects = process_.loader().objects();
    const bool there = std::any_of(objects.begin(), objects.end(), [&](const LoadedObject& object) {
      // /proc/self/maps shows resolved paths.
      const auto view = chain_.snapshot().binaries.find(object.path);
      const auto& real = view != chain_.snapshot().binaries.end() && !view->second.real_path.empty() ? view->second.real_path : object.path;
      return real.find(rules.condition) != std::string::npos;
    });
    if (!there) return;
    for (const auto& preload : rules.afterwards) {
      bool pending = false;
      const auto file = find(preload, pending);
      if (pending) {
        chain_.undetermined(LinkId::gpu_libraries, Effect::import_fails, preload.pattern + " was not looked for");
        return;
      }
      if (!file) {
        if (rules.condition == "libcudart.so") continue;   // best effort: what is absent is passed over
        return;                                            // an exception inside ends the series
      }
      const auto outcome = process_.open_by_ctypes(*file, false);
      if (outcome.state == LoadOutcome::State::loaded) continue;
      if (outcome.state == LoadOutcome::State::process_dies || outcome.state == LoadOutcome::State::undetermined) {
        note(outcome, *file, chain_.environment().executable);
      }
      return;
    }
  }

  bool extension() {
    const auto view = chain_.snapshot().folders.find(folder_);
    if (view == chain_.snapshot().folders.end()) {
      chain_.wants().folders.emplace(folder_, true);
      chain_.undetermined(LinkId::gpu_libraries, Effect::import_fails, folder_ + " was not listed");
      return false;
    }
    if (view->second.outcome != FolderView::Outcome::listed && view->second.outcome != FolderView::Outcome::missing) {
      chain_.undetermined(LinkId::gpu_libraries, Effect::import_fails, folder_ + " was not listed");
      return false;
    }
    if (const auto name = extension_among(view->second.names, "_C", python_release(chain_.environment()))) {
      const auto path = folder_ + "/" + *name;
      return note(process_.import_extension(path, false), path, chain_.environment().executable);
    }
    const auto& names = view->second.names;
    if (std::none_of(names.begin(), names.end(), [](const std::string& name) { return name.starts_with("_C."); })) {
      auto& gone = chain_.add(LinkId::import, "incomplete-package-install", Effect::import_fails, Severity::error);
      set_args(gone, {{"package", chain_.chain.package}, {"detail", std::string("torch/_C")}});
      add_evidence(gone, "folder", folder_, "holds no _C extension module for any Python");
      set_next_step(gone, "reinstall-package", {install_command(chain_, {"torch==" + chain_.chain.version}, {"--force-reinstall"})});
      return false;
    }
    auto& finding = chain_.add(LinkId::interpreter, "no-wheel-for-python-version", Effect::import_fails, Severity::error);
    set_args(finding, {{"framework", chain_.chain.framework}, {"python", python_label(chain_.environment())}});
    add_evidence(finding, "folder", folder_, "holds no _C extension module for this Python");
    set_next_step(finding, "reinstall-package", {install_command(chain_, {"torch==" + chain_.chain.version}, {"--force-reinstall"})});
    return false;
  }

  ChainBuilder& chain_;
  PythonProcess& process_;
  std::string folder_, cuda_major_;
  LibraryFaults faults_;
};

// The object whose code talks to the driver: the CUDA runtime, or the library that carries it inside.
int runtime_of(GlibcLoader& loader) {
  const auto& objects = loader.objects();
  for (const auto* stem : {"libcudart", "libc10_cuda.so", "libtorch_cuda.so"}) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (file_name(objects[i].path).starts_with(stem)) return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace

void judge_pytorch(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  const auto folder = judge_python_links(chain, rule);
  if (folder.empty()) return;
  const auto version_file = folder + "/version.py";
  const auto* text = chain.text(version_file);
  if (text == nullptr) {
    chain.undetermined(LinkId::wheel, Effect::no_gpu, version_file + " was not read");
    return;
  }
  const auto value = [&](const char* key) {
    const auto found = python_constant(*text, key);
    return found == "None" ? std::string() : found;
  };
  const auto cuda = value("cuda"), hip = value("hip"), xpu = value("xpu");
  chain.chain.flavour = !cuda.empty() ? "cuda" : !hip.empty() ? "rocm" : !xpu.empty() ? "xpu" : "cpu";
  chain.cuda_expected = chain.chain.flavour == "cuda";
  const auto level = cuda_level(cuda);

  PythonProcess process(chain);
  if (process.start().state == LoadOutcome::State::undetermined) {
    chain.undetermined(LinkId::interpreter, Effect::import_fails, "interpreter: " + process.start().reason);
  }
  const bool imported = TorchImport(chain, process, folder, level.major > 0 ? std::to_string(level.major) : "").run();
  if (chain.chain.flavour == "cpu") {
    judge_cpu_build(chain, version_file, "cuda None",
                    replace_commands(chain, {"torch"}, {"torch"}));
    return;
  }
  if (!chain.cuda_expected) {
    judge_other_vendor_build(chain);
    return;
  }
  if (!imported) return;
  judge_torch_companions(chain);
  judge_cudnn_age(chain, process, chain.package(chain.chain.package), cuda_level(value("cuda")).major >= 12 ? 9 : 8, Effect::harmless);
  const int runtime = runtime_of(process.loader());
  if (runtime < 0) {
    chain.undetermined(LinkId::driver_library, Effect::no_gpu, "the CUDA runtime was not found among torch's libraries");
    return;
  }
  const auto driver = judge_cuda_driver(chain, process, runtime, Effect::no_gpu);
  auto runtime_level = level;
  const auto name = file_name(process.loader().objects()[static_cast<std::size_t>(runtime)].path);
  if (const auto read = level_of_cudart(name); read.major > 0) runtime_level = {read.major, read.major == level.major ? level.minor : read.minor};
  judge_driver_version(chain, driver, runtime_level, Effect::no_gpu);
  std::vector<std::string> files;
  if (const auto code = process.loader().find_loaded("libtorch_cuda.so"); code >= 0) {
    files.push_back(process.loader().objects()[static_cast<std::size_t>(code)].path);
  }
  judge_gpu_code(chain, driver, files, {0, 0}, Effect::no_compute);
}

}  // namespace gpuway
