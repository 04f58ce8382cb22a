#include "think/rules/windows/dll_faults.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "base/text.h"
#include "think/knowledge/loads.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"

namespace gpuway {
namespace {

// Where Microsoft's installer of the C++ runtime is found (learn.microsoft.com, "latest supported Visual C++ Redistributable").
constexpr const char* kCppRuntimeCommand = "winget install --id Microsoft.VCRedist.2015+.x64";

std::string fault_word(const Snapshot& snapshot, const DllFailure& failure) {
  if (failure.kind == DllFailure::Kind::denied) return "the file may not be read";
  if (failure.kind == DllFailure::Kind::wrong_machine) return "the file is a DLL for another processor or word size";
  const auto view = snapshot.binaries.find(failure.path);
  if (view == snapshot.binaries.end()) return "the file is damaged";
  if (view->second.file_size == 0) return "the file is empty";
  if (view->second.pe && view->second.pe->is_cut_off(view->second.file_size)) {
    return "the file is cut off: " + std::to_string(view->second.file_size) + " of at least " + std::to_string(view->second.pe->load_end) +
           " bytes";
  }
  const bool other = view->second.outcome == BinaryView::Outcome::other_format || view->second.outcome == BinaryView::Outcome::too_short;
  return other ? "the file is no DLL" : "the file is damaged";
}

}  // namespace

bool DllFaults::note(const DllOutcome& outcome, const std::string& requested, const std::string& asked_by, Effect effect, LinkId link,
                     DllSearch search) {
  if (outcome.state == DllOutcome::State::loaded) return true;
  if (outcome.state == DllOutcome::State::undetermined || !outcome.failure) {
    if (effect != Effect::harmless) chain_.undetermined(link, effect, std::string(file_name(requested)) + ": " + outcome.reason);
    return false;
  }
  Fault fault{*outcome.failure, outcome.failure->asked_by.empty() ? asked_by : outcome.failure->asked_by, effect, link, search};
  chain_.missing(fault.failure.library, fault.asked_by, !outcome.failure->asked_by.empty(), effect);
  faults_.push_back(std::move(fault));
  return false;
}

std::string DllFaults::cause_of(const Fault& fault, const DllElsewhere& elsewhere) const {
  const auto& name = fault.failure.library;
  const auto lower = to_lower(name);
  if (is_cpp_runtime_dll(name)) return "msvc-runtime-missing";
  if (lower == "zlibwapi.dll") return "zlibwapi-missing";
  if (lower.starts_with("libomp140.")) return "libomp140-missing";
  if (!is_cuda_dll(name) && !is_cudnn_dll(name)) {
    return is_file_of_package(chain_, name) ? "incomplete-package-install" : "library-own-dependency-missing";
  }
  if (!elsewhere.exact.empty()) {
    const auto owner = elsewhere.exact.front().owner;
    if (chain_.environment().kind == "store" && owner == DllHome::Owner::process_path) return "store-python-dll-search";
    if (fault.search == DllSearch::without_path && owner == DllHome::Owner::process_path) return "python-dll-directory-rules";
    if (owner == DllHome::Owner::new_path) return "environment-not-activated";
    return "cuda-libs-not-on-loader-path";
  }
  if (!elsewhere.other.empty()) return is_cudnn_dll(name) ? "cudnn-major-mismatch" : "cuda-version-mismatch";
  // One of NVIDIA's own that another one of them needs.
  const auto asker = file_name(fault.failure.asked_by);
  if (is_cuda_dll(asker) || is_cudnn_dll(asker)) return "library-own-dependency-missing";
  return is_cudnn_dll(name) ? "cudnn-missing" : "cuda-libraries-missing";
}

void DllFaults::add_not_found(const std::vector<const Fault*>& faults) {
  std::map<std::pair<int, std::string>, Group> groups;
  for (const auto* fault : faults) {
    const auto& name = fault->failure.library;
    auto elsewhere = find_dll_elsewhere(chain_, name);
    const auto id = cause_of(*fault, elsewhere);
    const auto link = id == "incomplete-package-install" ? LinkId::import
                      : id == "msvc-runtime-missing" || id == "libomp140-missing" ? LinkId::interpreter
                                                                                  : fault->link;
    auto& group = groups[{static_cast<int>(link), id}];
    if (std::find(group.names.begin(), group.names.end(), name) == group.names.end()) group.names.push_back(name);
    if (group.first == nullptr) {
      group.first = fault;
      group.elsewhere = std::move(elsewhere);
    }
    group.effect = std::max(group.effect, fault->effect);
  }
  for (const auto& [key, group] : groups) add_missing_group(key.second, static_cast<LinkId>(key.first), group);
}

void DllFaults::add_missing_group(const std::string& id, LinkId link, const Group& group) {
  const auto& fault = *group.first;
  auto& finding = chain_.add(link, id, group.effect, group.effect == Effect::harmless ? Severity::note : Severity::error);
  const auto asker = std::string(file_name(fault.asked_by));
  set_args(finding, {{"framework", chain_.chain.framework},
                     {"version", chain_.chain.version},
                     {"library", fault.failure.library},
                     {"libraries", group.names},
                     {"missing", fault.failure.library},
                     {"asked_by", asker}});
  if (id == "library-own-dependency-missing") finding.args["library"] = asker;
  if (id == "incomplete-package-install") {
    finding.args["package"] = chain_.chain.package;
    finding.args["detail"] = join(group.names, ", ");
  }
  const auto& found = !group.elsewhere.exact.empty() ? group.elsewhere.exact : group.elsewhere.other;
  if (!found.empty()) {
    finding.args["found"] = found.front().path;
    finding.args["folder"] = parent_path(found.front().path);
    add_evidence(finding, "file", found.front().path,
                 group.elsewhere.exact.empty() ? "another version of it" : "lies here, in a folder that is not searched");
  }
  for (const auto& name : group.names) add_evidence(finding, "file", name, "not found in any folder searched");
  finding.searched = fault.failure.searched;
  set_remedy(finding, id, group);
}

void DllFaults::set_remedy(Finding& finding, const std::string& id, const Group& group) {
  if (id == "msvc-runtime-missing") return set_next_step(finding, "install-cpp-runtime", {kCppRuntimeCommand});
  if (id == "incomplete-package-install" || id == "libomp140-missing") {
    return set_next_step(finding, "reinstall-package",
                         {install_command(chain_, {chain_.chain.package + "==" + chain_.chain.version}, {"--force-reinstall"})});
  }
  if (id == "environment-not-activated") return set_next_step(finding, "open-new-terminal", {"$env:PATH -split ';'"});
  if (id == "cuda-libs-not-on-loader-path" || id == "python-dll-directory-rules" || id == "store-python-dll-search") {
    std::set<std::string> folders;
    for (const auto& name : group.names) {
      const auto at = find_dll_elsewhere(chain_, name);
      if (!at.exact.empty()) folders.insert(shown_path(parent_path(at.exact.front().path)));
    }
    std::vector<std::string> commands;
    if (group.first->search == DllSearch::without_path) {
      for (const auto& folder : folders) commands.push_back("import os; os.add_dll_directory(r\"" + folder + "\")");
      return set_next_step(finding, "announce-dll-folder", std::move(commands));
    }
    return set_next_step(finding, "extend-path", {"$env:PATH = '" + join({folders.begin(), folders.end()}, ";") + ";' + $env:PATH"});
  }
  if (id == "library-own-dependency-missing" && !is_cuda_dll(group.first->failure.library) && !is_cudnn_dll(group.first->failure.library)) {
    return set_next_step(finding, "find-dll", {"where.exe " + group.first->failure.library});
  }
  set_next_step(finding, "install-cuda-libraries", install_commands());
}

// What brings the DLLs that a build wants. TensorFlow up to 2.10 takes them from conda or a toolkit (shared facts:
// tensorflow.toml); ONNX Runtime has an extra; PyTorch's wheel carries its own.
std::vector<std::string> DllFaults::install_commands() const {
  const auto& owner = chain_.chain;
  if (owner.framework == "tensorflow") return {"conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1"};
  if (owner.framework == "onnxruntime") return {install_command(chain_, {owner.package + "[cuda,cudnn]==" + owner.version})};
  return {install_command(chain_, {owner.package + "==" + owner.version}, {"--force-reinstall"})};
}

void DllFaults::add_damaged(const Fault& fault) {
  auto& finding = chain_.add(fault.link, "library-truncated-or-damaged", fault.effect,
                             fault.effect == Effect::harmless ? Severity::note : Severity::error);
  const auto word = fault_word(chain_.snapshot(), fault.failure);
  set_args(finding, {{"framework", chain_.chain.framework}, {"path", fault.failure.path}, {"fault", word}});
  add_evidence(finding, "file", fault.failure.path, word);
  finding.searched = fault.failure.searched;
  set_next_step(finding, "reinstall-library", {"Get-Item " + shell_word(fault.failure.path)});
}

void DllFaults::add_symbol(const Fault& fault) {
  const auto& failure = fault.failure;
  const auto severity = fault.effect == Effect::harmless ? Severity::note : Severity::error;
  if (is_cpp_runtime_dll(failure.library)) {
    auto& finding = chain_.add(LinkId::interpreter, "msvc-runtime-too-old", fault.effect, severity);
    set_args(finding, {{"framework", chain_.chain.framework}, {"path", failure.path}, {"symbol", failure.symbol}});
    add_evidence(finding, "file", failure.path, "does not define it");
    finding.searched = failure.searched;
    set_next_step(finding, "install-cpp-runtime", {kCppRuntimeCommand});
    return;
  }
  auto& finding = chain_.add(fault.link, "cuda-library-missing-symbol", fault.effect, severity);
  set_args(finding, {{"framework", chain_.chain.framework},
                     {"library", failure.path},
                     {"symbol", failure.symbol},
                     {"version", std::string()},
                     {"asked_by", fault.asked_by}});
  add_evidence(finding, "file", failure.path, "does not define it");
  finding.searched = failure.searched;
  set_next_step(finding, "align-cuda-libraries",
                {install_command(chain_, {chain_.chain.package + "==" + chain_.chain.version}, {"--force-reinstall"})});
}

void DllFaults::finish() {
  std::vector<const Fault*> not_found;
  std::set<std::string> told;
  for (const auto& fault : faults_) {
    const auto& failure = fault.failure;
    if (failure.kind == DllFailure::Kind::not_found || failure.kind == DllFailure::Kind::bad_call) {
      if (fault.effect != Effect::harmless) not_found.push_back(&fault);
      continue;
    }
    if (!told.insert(std::to_string(static_cast<int>(failure.kind)) + failure.path + failure.symbol).second) continue;
    if (failure.kind == DllFailure::Kind::symbol_missing) {
      add_symbol(fault);
    } else {
      add_damaged(fault);
    }
  }
  if (!not_found.empty()) add_not_found(not_found);
  faults_.clear();
}

}  // namespace gpuway
