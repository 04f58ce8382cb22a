#include "think/rules/frameworks/tensorflow_plugins.h"

#include "base/path.h"
#include "think/rules/gpu/gpu_libraries.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"

namespace gpuway {
namespace {

constexpr const char* kDirectmlPackage = "tensorflow-directml-plugin";

const FolderView* listing(ChainBuilder& chain, const std::string& folder) {
  const auto found = chain.snapshot().folders.find(folder);
  if (found != chain.snapshot().folders.end()) return &found->second;
  chain.wants().folders.emplace(folder, true);
  return nullptr;
}

// Folders that tensorflow/__init__.py takes for site folders: by their name, or from site.getsitepackages().
std::vector<std::string> plugin_folders(const ChainBuilder& chain) {
  std::vector<std::string> folders;
  for (const auto& place : chain.environment().search_path) {
    const bool site = place.path.find("site-packages") != std::string::npos || place.path.find("dist-packages") != std::string::npos;
    if (site && place.exists) folders.push_back(join_path(place.path, "tensorflow-plugins"));
  }
  return folders;
}

// load_library takes every file of this folder that looks like a shared object.
bool is_shared_object(const std::string& name) {
  if (name.ends_with(".so")) return true;
  const auto at = name.rfind(".so.");
  return at != std::string::npos && name.find_first_not_of("0123456789.", at + 4) == std::string::npos;
}

bool is_directml(const std::string& path) { return file_name(path).starts_with("libtfdml"); }

void add_directml_mismatch(ChainBuilder& chain, const LoadOutcome& outcome, const std::string& path) {
  const auto* plugin = chain.package(kDirectmlPackage);
  auto& finding = chain.add(LinkId::wheel, "directml-plugin-tf-version-mismatch", Effect::import_fails, Severity::error);
  set_args(finding, {{"plugin", plugin == nullptr ? std::string() : plugin->version}, {"version", chain.chain.version}});
  add_evidence(finding, "file", path, "nothing defines " + (outcome.failure ? outcome.failure->symbol : std::string()));
  if (plugin != nullptr) {
    for (const auto& line : plugin->requires_dist) {
      if (line.starts_with("tensorflow")) add_evidence(finding, "file", join_path(plugin->location, "METADATA"), line);
    }
  }
  set_next_step(finding, "install-fitting-version", {install_command(chain, {"tensorflow-cpu==2.10.0", "numpy<2"})});
}

// The plug-in asks for Microsoft's libraries by name; without them it offers no device and says so in the log.
void judge_directml_device(ChainBuilder& chain, PythonProcess& process, const std::string& folder, int plugin) {
  chain.chain.flavour = "directml";
  const auto own = join_path(folder, "directml");
  const auto* view = listing(chain, own);
  if (view == nullptr) return chain.undetermined(LinkId::device, Effect::no_gpu, own + " was not listed");
  for (const auto& name : view->names) {
    if (!name.starts_with("libdirectml.")) continue;
    const auto outcome = process.loader().open({.name = name, .caller = plugin});
    if (outcome.state == LoadOutcome::State::undetermined) {
      return chain.undetermined(LinkId::device, Effect::no_gpu, name + ": " + outcome.reason);
    }
    if (outcome.state == LoadOutcome::State::loaded) continue;
    const auto missing = outcome.failure ? outcome.failure->library : name;
    // Outside WSL 2 there is no Direct3D at all, and nobody expects it: the CPU does the work.
    const bool expected = in_wsl2(chain.snapshot());
    auto& finding = chain.add(LinkId::gpu_libraries, "wsl-directx-libs-missing", Effect::no_gpu, expected ? Severity::error : Severity::note);
    set_args(finding, {{"library", missing}});
    add_evidence(finding, "file", join_path(own, name), "needs " + missing + ", which is not found");
    if (outcome.failure) finding.searched = outcome.failure->searched;
    chain.missing(missing, join_path(own, name), true, Effect::no_gpu);
    set_next_step(finding, expected ? "restart-wsl" : "run-inside-wsl", {expected ? "wsl.exe --shutdown" : "wsl.exe --list --verbose"});
    return;
  }
  chain.undetermined(LinkId::device, Effect::no_gpu, "DirectML devices are not asked");
}

void load_plugin(ChainBuilder& chain, PythonProcess& process, int opener, const std::string& path) {
  const auto folder = parent_path(path);
  const auto outcome = process.loader().open({.name = path, .caller = opener});
  if (outcome.state == LoadOutcome::State::loaded) {
    if (is_directml(path)) judge_directml_device(chain, process, folder, outcome.object);
    return;
  }
  if (is_directml(path) && outcome.state == LoadOutcome::State::failed && outcome.failure &&
      outcome.failure->kind == LoadFailure::Kind::symbol_missing) {
    chain.missing(std::string(file_name(path)), folder, false, Effect::import_fails);
    add_directml_mismatch(chain, outcome, path);
    return;
  }
  LibraryFaults faults(chain, false);
  faults.note(outcome, path, folder, Effect::import_fails, LinkId::wheel, Effect::import_dies);
  faults.finish();
}

void load_plugins(ChainBuilder& chain, PythonProcess& process, int opener, const std::string& folder, const FolderView& view) {
  for (const auto& name : view.names) {
    if (is_shared_object(name)) load_plugin(chain, process, opener, join_path(folder, name));
  }
}

// A variable names a further plug-in, or a folder of them; one that is not there makes the import raise
// (tensorflow/__init__.py since 2.13, load_pluggable_device_library).
void load_named_plugin(ChainBuilder& chain, PythonProcess& process, int opener) {
  const std::string name = "TF_PLUGGABLE_DEVICE_LIBRARY_PATH";
  const auto* value = chain.variable(name);
  const auto* module = chain.import_of("tensorflow");
  if (value == nullptr || value->empty() || module == nullptr) return;
  const auto reads = holds_bytes(chain, module->path, name);
  if (!reads.value_or(false)) {
    if (reads.is_undetermined()) chain.undetermined(LinkId::wheel, Effect::import_fails, module->path + ": not read");
    return;
  }
  const auto place = join_path(chain.snapshot().current_folder, *value);
  const auto* view = listing(chain, place);
  if (view == nullptr) return chain.undetermined(LinkId::wheel, Effect::import_fails, place + " was not listed");
  switch (view->outcome) {
    case FolderView::Outcome::listed: return load_plugins(chain, process, opener, place, *view);
    case FolderView::Outcome::not_folder: return load_plugin(chain, process, opener, place);
    case FolderView::Outcome::missing: break;
    case FolderView::Outcome::denied:
    case FolderView::Outcome::unreadable: return chain.undetermined(LinkId::wheel, Effect::import_fails, place + ": " + view->detail);
  }
  auto& finding = chain.add(LinkId::interpreter, "setting-rejected", Effect::import_fails, Severity::error);
  set_args(finding, {{"framework", chain.chain.framework}, {"setting", name}, {"value", *value}});
  add_evidence(finding, "variable", name, *value);
  add_evidence(finding, "file", place, "does not exist");
  set_next_step(finding, "unset-variable", {unset_command(chain.snapshot(), name)});
}

}  // namespace

void judge_tensorflow_plugins(ChainBuilder& chain, PythonProcess& process, int opener) {
  for (const auto& folder : plugin_folders(chain)) {
    const auto* view = listing(chain, folder);
    if (view == nullptr) {
      chain.undetermined(LinkId::wheel, Effect::import_fails, folder + " was not listed");
      continue;
    }
    load_plugins(chain, process, opener, folder, *view);
  }
  load_named_plugin(chain, process, opener);
}

}  // namespace gpuway
