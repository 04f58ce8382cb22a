#include "think/rules/gpu/gpu_libraries.h"

#include <algorithm>
#include <map>
#include <map>
#include <set>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"

namespace gpuway {
namespace {

// Sub-folders of site-packages/nvidia that the CUDA 11 and 12 wheels use, and the common folders of CUDA 13
// (shared facts: loaders.md 2.5). cuSPARSELt has been in both places.
constexpr std::string_view kWheelFolders[] = {
    "nvidia/cublas/lib",       "nvidia/cuda_cupti/lib", "nvidia/cuda_nvrtc/lib", "nvidia/cuda_runtime/lib",
    "nvidia/cudnn/lib",        "nvidia/cufft/lib",      "nvidia/cufile/lib",     "nvidia/curand/lib",
    "nvidia/cusolver/lib",     "nvidia/cusparse/lib",   "nvidia/cusparselt/lib", "nvidia/nccl/lib",
    "nvidia/nvjitlink/lib",    "nvidia/nvshmem/lib",    "nvidia/nvtx/lib",       "nvidia/cu13/lib",
    "cusparselt/lib",          "tensorrt_libs",         "tensorrt"};

// Where toolkits and distributions put CUDA (documented install folders of the toolkit, Debian and cluster modules).
constexpr std::string_view kToolkitFolders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib",
                                                "/opt/cuda/lib64", "/usr/lib/cuda/lib64", "/usr/lib/nvidia-cuda-toolkit/lib64"};

// The listing of a folder, wanted when it is not there yet.
const FolderView* listing(ChainBuilder& chain, const std::string& folder) {
  const auto& folders = chain.snapshot().folders;
  const auto found = folders.find(folder);
  if (found == folders.end()) {
    chain.wants().folders.emplace(folder, true);
    return nullptr;
  }
  return found->second.outcome == FolderView::Outcome::listed ? &found->second : nullptr;
}

// NVIDIA's own libraries ask for one another; anything else that asks is the framework itself.
bool is_nvidia_library(std::string_view path) {
  const auto name = file_name(path);
  return name.starts_with("libcu") || name.starts_with("libnv") || name.starts_with("libnccl");
}

bool is_cudnn(std::string_view stem) { return stem.starts_with("libcudnn"); }

std::string fault_word(const Snapshot& snapshot, const LoadFailure& failure) {
  switch (failure.kind) {
    case LoadFailure::Kind::too_short: {
      const auto view = snapshot.binaries.find(failure.path);
      const bool empty = view != snapshot.binaries.end() && view->second.file_size == 0;
      return empty ? "the file is empty" : "the file is shorter than an ELF header";
    }
    case LoadFailure::Kind::not_elf: return "the file is no ELF library";
    case LoadFailure::Kind::wrong_class: return "the file is a library of another word size";
    case LoadFailure::Kind::wrong_machine: return "the file is a library for another processor";
    case LoadFailure::Kind::denied: return "the file may not be read";
    case LoadFailure::Kind::executable_stack: return "the file asks for an executable stack";
    default: break;
  }
  const auto view = snapshot.binaries.find(failure.path);
  if (view != snapshot.binaries.end() && view->second.elf && view->second.file_size < view->second.elf->load_end) {
    return "the file is cut off: " + std::to_string(view->second.file_size) + " of at least " +
           std::to_string(view->second.elf->load_end) + " bytes";
  }
  return "the file is damaged";
}

// What brings the CUDA libraries that a build wants. Since 2.14 TensorFlow's own extra does, and ONNX Runtime has one
// too; older TensorFlow takes them from a toolkit or from conda (shared facts: tensorflow.toml); PyTorch's wheel names
// its libraries as dependencies, so installing it again brings them back.
std::vector<std::string> install_commands(const ChainBuilder& chain, bool expects_wheels) {
  const auto& owner = chain.chain;
  if (owner.framework == "tensorflow") {
    if (expects_wheels) return {install_command(chain, {owner.package + "[and-cuda]==" + owner.version})};
    const bool cuda118 = owner.version.starts_with("2.12") || owner.version.starts_with("2.13");
    return {cuda118 ? "conda install -c conda-forge cudatoolkit=11.8 cudnn=8.8"
                    : "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1"};
  }
  if (owner.framework == "onnxruntime") return {install_command(chain, {owner.package + "[cuda,cudnn]==" + owner.version})};
  return {install_command(chain, {owner.package + "==" + owner.version}, {"--force-reinstall"})};
}

}  // namespace

std::string_view library_stem(std::string_view name) {
  const auto at = name.find(".so");
  return at == std::string_view::npos ? name : name.substr(0, at);
}

std::vector<LibraryHome> library_homes(ChainBuilder& chain) {
  std::vector<LibraryHome> homes;
  std::set<std::string> seen;
  const auto add = [&](std::string folder, LibraryHome::Owner owner) {
    if (seen.insert(folder).second) homes.push_back({std::move(folder), owner});
  };
  for (const auto& folder : chain.environment().search_path) {
    if (folder.origin == "stdlib" || folder.origin == "script" || !folder.exists) continue;
    for (const auto part : kWheelFolders) add(join_path(folder.path, part), LibraryHome::Owner::wheel);
    for (const auto part : {"torch/lib"}) add(join_path(folder.path, part), LibraryHome::Owner::wheel);
  }
  if (chain.environment().kind == "conda" || chain.environment().kind == "pixi") {
    add(join_path(chain.environment().path, "lib"), LibraryHome::Owner::environment);
  }
  for (const auto folder : kToolkitFolders) add(std::string(folder), LibraryHome::Owner::toolkit);
  if (const auto* home = chain.variable("CUDA_HOME")) add(join_path(*home, "lib64"), LibraryHome::Owner::toolkit);
  if (const auto* home = chain.variable("CUDA_PATH")) add(join_path(*home, "lib64"), LibraryHome::Owner::toolkit);
  if (chain.snapshot().loader_folders.is_known()) {
    for (const auto& folder : *chain.snapshot().loader_folders) add(folder, LibraryHome::Owner::configured);
  }
  if (chain.snapshot().loader_cache.is_known()) {
    for (const auto& entry : chain.snapshot().loader_cache->entries) {
      if (entry.soname.starts_with("libcudart.") || entry.soname.starts_with("libcublas.") ||
          entry.soname.starts_with("libcudnn.")) {
        add(parent_path(entry.path), LibraryHome::Owner::system);
      }
    }
  }
  return homes;
}

FoundElsewhere find_elsewhere(ChainBuilder& chain, std::string_view name) {
  FoundElsewhere found;
  const auto prefix = std::string(library_stem(name)) + ".so";
  for (const auto& home : library_homes(chain)) {
    const auto* view = listing(chain, home.folder);
    if (view == nullptr) continue;
    for (const auto& entry : view->names) {
      if (entry == name) {
        if (found.exact.empty()) found.exact_owner = home.owner;
        found.exact.push_back(join_path(home.folder, entry));
      } else if (entry.starts_with(prefix) && (entry.size() == prefix.size() || entry[prefix.size()] == '.')) {
        found.other.push_back(join_path(home.folder, entry));
      }
    }
  }
  // A name with its version says more than the link beside it.
  std::stable_partition(found.other.begin(), found.other.end(), [&](const std::string& path) {
    return file_name(path).size() > prefix.size();
  });
  return found;
}

bool LibraryFaults::note(const LoadOutcome& outcome, const std::string& requested, const std::string& asked_by,
                         Effect effect, LinkId link, Effect dying) {
  switch (outcome.state) {
    case LoadOutcome::State::loaded: return true;
    case LoadOutcome::State::undetermined:
      if (effect != Effect::harmless) chain_.undetermined(link, effect, requested + ": " + outcome.reason);
      return false;
    case LoadOutcome::State::failed:
    case LoadOutcome::State::process_dies: break;
  }
  Fault fault{*outcome.failure, requested, asked_by, outcome.state == LoadOutcome::State::process_dies, effect, link};
  if (fault.dies) fault.effect = dying;
  const auto culprit = fault.failure.asked_by.empty() ? asked_by : fault.failure.asked_by;
  chain_.missing(fault.failure.library, culprit, fault.failure.needed, fault.effect);
  faults_.push_back(std::move(fault));
  return false;
}

void LibraryFaults::add_damaged(const Fault& fault) {
  const bool harmless = fault.effect == Effect::harmless;
  auto& finding = chain_.add(fault.link, "library-truncated-or-damaged", fault.effect,
                             harmless ? Severity::note : Severity::error);
  const auto word = fault_word(chain_.snapshot(), fault.failure);
  set_args(finding, {{"framework", chain_.chain.framework}, {"path", fault.failure.path}, {"fault", word}});
  add_evidence(finding, "file", fault.failure.path, word);
  finding.searched = fault.failure.searched;
  set_next_step(finding, "reinstall-library", {});
  for (const auto& package : chain_.environment().packages) {
    if (!package.name.starts_with("nvidia-")) continue;
    // The wheel's folder name is its package name without vendor and CUDA suffix: nvidia-cuda-runtime-cu12 -> cuda_runtime.
    auto part = package.name.substr(7);
    if (const auto cut = part.rfind("-cu1"); cut != std::string::npos) part.resize(cut);
    std::replace(part.begin(), part.end(), '-', '_');
    if (fault.failure.path.find("/nvidia/" + part + "/") == std::string::npos) continue;
    finding.next_step.commands = {
        install_command(chain_, {package.name + "==" + package.version}, {"--force-reinstall", "--no-deps"})};
  }
  if (finding.next_step.commands.empty()) finding.next_step.commands = {"ls -l " + shell_word(fault.failure.path)};
}

void LibraryFaults::add_symbol(const Fault& fault) {
  const auto& failure = fault.failure;
  auto& finding = chain_.add(fault.link, "cuda-library-missing-symbol", fault.effect,
                             fault.effect == Effect::harmless ? Severity::note : Severity::error);
  set_args(finding, {{"framework", chain_.chain.framework},
                     {"library", failure.library},
                     {"symbol", failure.symbol},
                     {"version", failure.version},
                     {"asked_by", failure.path}});
  add_evidence(finding, "file", failure.path,
               "needs " + failure.symbol + (failure.version.empty() ? "" : ", version " + failure.version) +
                   "; no loaded library defines it");
  if (!failure.version_file.empty()) add_evidence(finding, "file", failure.version_file, "does not define it");
  finding.searched = failure.searched;
  set_next_step(finding, "align-cuda-libraries",
                {install_command(chain_, {chain_.chain.package + "==" + chain_.chain.version}, {"--force-reinstall"})});
}

void LibraryFaults::add_version(const Fault& fault) {
  const auto& failure = fault.failure;
  const bool libstdcxx = failure.symbol.starts_with("GLIBCXX") || failure.symbol.starts_with("CXXABI");
  const bool libc = failure.symbol.starts_with("GLIBC_");
  if (!libstdcxx && !libc) {
    add_symbol(fault);
    return;
  }
  auto& finding = chain_.add(LinkId::interpreter, libc ? "glibc-too-old" : "libstdcxx-too-old", fault.effect,
                             fault.effect == Effect::harmless ? Severity::note : Severity::error);
  set_args(finding, {{"framework", chain_.chain.framework},
                     {"needs", failure.symbol},
                     {"file", failure.path},
                     {"path", failure.version_file},
                     {"have", chain_.snapshot().system.libc.value_or("")}});
  add_evidence(finding, "file", failure.path, "needs version " + failure.symbol);
  add_evidence(finding, "file", failure.version_file, "does not define it");
  if (libc) {
    set_next_step(finding, "newer-system-or-older-wheel", {"ldd --version"});
  } else {
    set_next_step(finding, "newer-libstdcxx", {"strings " + shell_word(failure.version_file) + " | grep GLIBCXX | tail -n 1"});
  }
}

void LibraryFaults::add_not_found(const std::vector<const Fault*>& faults) {
  // One finding per mechanism: group the missing names by what is known about where they are.
  struct Group {
    std::vector<std::string> names;
    const Fault* first = nullptr;
    std::string id, found;
    Effect effect = Effect::harmless;
    FoundElsewhere elsewhere;
  };
  std::map<std::pair<int, std::string>, Group> groups;
  for (const auto* fault : faults) {
    const auto& name = fault->failure.library;
    const auto stem = library_stem(name);
    const auto elsewhere = find_elsewhere(chain_, name);
    std::string id, found;
    if (!is_nvidia_library(name)) {
      id = is_file_of_package(chain_, name) ? "incomplete-package-install" : "library-own-dependency-missing";
    } else if (!elsewhere.exact.empty()) {
      const bool wheel = elsewhere.exact_owner == LibraryHome::Owner::wheel;
      id = wheel && expects_wheels_ ? "rpath-lacks-folder" : "cuda-libs-not-on-loader-path";
      found = elsewhere.exact.front();
    } else if (fault->failure.needed && is_nvidia_library(fault->failure.asked_by)) {
      id = "library-own-dependency-missing";
    } else if (!elsewhere.other.empty()) {
      id = is_cudnn(stem) ? "cudnn-major-mismatch" : "cuda-version-mismatch";
      found = elsewhere.other.front();
    } else {
      id = is_cudnn(stem) ? "cudnn-missing" : "cuda-libraries-missing";
    }
    const bool is_package_fault = id == "incomplete-package-install";
    auto& group = groups[{static_cast<int>(is_package_fault ? LinkId::import : fault->link), id}];
    if (std::find(group.names.begin(), group.names.end(), name) == group.names.end()) group.names.push_back(name);
    if (group.first == nullptr) {
      group.first = fault;
      group.id = id;
      group.found = found;
      group.elsewhere = elsewhere;
    }
    group.effect = std::max(group.effect, fault->effect);
  }
  // Nothing of CUDA at all explains a missing cuDNN too: one cause, one finding.
  for (const auto& [key, group] : groups) {
    const auto& fault = *group.first;
    auto& finding = chain_.add(static_cast<LinkId>(key.first), group.id, group.effect, Severity::error);
    set_args(finding, {{"framework", chain_.chain.framework},
                       {"version", chain_.chain.version},
                       {"library", fault.failure.library},
                       {"libraries", group.names},
                       {"asked_by", fault.failure.asked_by.empty() ? fault.asked_by : fault.failure.asked_by}});
    if (!group.found.empty()) {
      finding.args["found"] = group.found;
      finding.args["folder"] = parent_path(group.found);
      add_evidence(finding, "file", group.found,
                   group.elsewhere.exact.empty() ? "another version of it" : "lies here, in a folder that is not searched");
    }
    finding.args["missing"] = fault.failure.library;
    if (group.id == "library-own-dependency-missing") finding.args["library"] = std::string(file_name(fault.failure.asked_by));
    if (group.id == "incomplete-package-install") {
      finding.args["package"] = chain_.chain.package;
      finding.args["detail"] = join(group.names, ", ");
    }
    for (const auto& name : group.names) add_evidence(finding, "file", name, "not found in any folder searched");
    finding.searched = fault.failure.searched;
    if (group.id == "rpath-lacks-folder" || group.id == "cuda-libs-not-on-loader-path") {
      std::set<std::string> folders;
      for (const auto& name : group.names) {
        const auto at = find_elsewhere(chain_, name);
        if (!at.exact.empty()) folders.insert(parent_path(at.exact.front()));
      }
      const auto path = join({folders.begin(), folders.end()}, ":");
      if (group.elsewhere.exact_owner == LibraryHome::Owner::configured) {
        // ld.so.conf names the folder, and the loader reads only what ldconfig made of it the last time.
        add_evidence(finding, "file", "/etc/ld.so.conf", "names " + parent_path(group.found) + "; the loader's cache lacks the library");
        set_next_step(finding, "rebuild-loader-cache", {"sudo ldconfig"});
        continue;
      }
      set_next_step(finding, "extend-library-path",
                    {"export LD_LIBRARY_PATH=" + shell_word(path) + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
    } else if (group.id == "incomplete-package-install") {
      set_next_step(finding, "reinstall-package",
                    {install_command(chain_, {chain_.chain.package + "==" + chain_.chain.version}, {"--force-reinstall"})});
    } else if (!is_nvidia_library(fault.failure.library)) {
      // Which of the system's packages brings a library is for its package manager to say; ldd names all that lack.
      set_next_step(finding, "install-system-library", {"ldd " + shell_word(fault.failure.asked_by) + " | grep 'not found'"});
    } else {
      set_next_step(finding, "install-cuda-libraries", install_commands(chain_, expects_wheels_));
    }
  }
}

void LibraryFaults::finish() {
  std::vector<const Fault*> not_found;
  // One file may be asked for several times, and what it takes away is the most that any of them loses.
  std::vector<const Fault*> worst;
  std::map<std::string, std::size_t> told;
  for (const auto& fault : faults_) {
    const auto& failure = fault.failure;
    if (failure.kind == LoadFailure::Kind::not_found) {
      // A library that the framework does without (TensorRT, CUPTI) is listed in `missing` and worth no finding.
      if (fault.effect != Effect::harmless) not_found.push_back(&fault);
      continue;
    }
    const auto key = std::to_string(static_cast<int>(failure.kind)) + failure.path + failure.symbol;
    const auto [known, fresh] = told.emplace(key, worst.size());
    if (fresh) {
      worst.push_back(&fault);
    } else if (fault.effect > worst[known->second]->effect) {
      worst[known->second] = &fault;
    }
  }
  for (const auto* fault : worst) {
    switch (fault->failure.kind) {
      case LoadFailure::Kind::symbol_missing: add_symbol(*fault); break;
      case LoadFailure::Kind::version_missing: add_version(*fault); break;
      default: add_damaged(*fault); break;
    }
  }
  if (!not_found.empty()) add_not_found(not_found);
  faults_.clear();
}

}  // namespace gpuway
