#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/knowledge/python_pins.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/frameworks/settings.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/keras_backend.h"
#include "think/rules/python/python_links.h"

namespace gpuway {
namespace {

void reject_file_entry(ChainBuilder& chain, const std::string& file, const std::string& entry, const std::string& value) {
  auto& finding = chain.add(LinkId::interpreter, "setting-rejected", Effect::import_fails, Severity::error);
  set_args(finding, {{"framework", chain.chain.framework}, {"setting", entry}, {"value", value}});
  add_evidence(finding, "file", file, entry + ": " + value);
  set_next_step(finding, "correct-setting", {"cat " + shell_word(file)});
}

void reject_backend(ChainBuilder& chain, const KerasBackend& backend) {
  if (backend.by_variable) return reject_variable(chain, LinkId::interpreter, Effect::import_fails, "KERAS_BACKEND", backend.name);
  reject_file_entry(chain, backend.file, "backend", backend.name);
}

// Whether a backend, named by its module, can use a GPU.
bool computes_with(std::string_view backend) { return backend == "tensorflow" || backend == "torch" || backend == "jax"; }

// A backend of Keras that uses a GPU and can be imported here; null when there is none. TensorFlow's comes first, as in
// Keras itself.
const FrameworkRule* installed_backend(const ChainBuilder& chain) {
  const FrameworkRule* found = nullptr;
  for (const auto& rule : framework_rules()) {
    if (!computes_with(rule.module) || chain.import_of(rule.module) == nullptr) continue;
    if (found == nullptr || rule.module == std::string_view("tensorflow")) found = &rule;
  }
  return found;
}

// KERAS_BACKEND wins over keras.json, so one command serves both; Keras 2 has no choice.
bool propose_backend(const ChainBuilder& chain, Finding& finding) {
  const auto* rule = installed_backend(chain);
  if (rule == nullptr || compare_versions(chain.chain.version, "3.dev0") < 0) return false;
  set_next_step(finding, "choose-backend", {set_command(chain.snapshot(), "KERAS_BACKEND", rule->module)});
  return true;
}

void add_missing_backend(ChainBuilder& chain, const KerasBackend& backend, const std::string& module, const std::string& distribution) {
  auto& finding = chain.add(LinkId::interpreter, "dependency-missing", Effect::import_fails, Severity::error);
  set_args(finding, {{"framework", std::string("keras")}, {"modules", std::vector<std::string>{module}}});
  add_evidence(finding, backend.by_file ? "file" : "variable", backend.by_file ? backend.file : "KERAS_BACKEND", backend.name);
  if (propose_backend(chain, finding)) return;
  set_next_step(finding, "install-dependency", {install_command(chain, {distribution})});
}

// Backends that Keras has and that use no GPU of their own accord. Which it has stands in its own text:
// `elif backend() == "numpy":` (keras/src/backend/__init__.py).
void judge_other_backend(ChainBuilder& chain, const std::string& folder, const KerasBackend& backend) {
  const auto path = join_path(folder, "src/backend/__init__.py");
  const auto* text = chain.text(path);
  if (text == nullptr) {
    chain.undetermined(LinkId::interpreter, Effect::import_fails, path + " was not read");
    return;
  }
  const bool plain = std::all_of(backend.name.begin(), backend.name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (!plain || text->find("backend() == \"" + backend.name + "\"") == std::string::npos) return reject_backend(chain, backend);
  if (chain.import_of(backend.name) == nullptr) return add_missing_backend(chain, backend, backend.name, backend.name);
  chain.cuda_expected = true;
  auto& finding = chain.add(LinkId::device, "program-selects-cpu", Effect::no_gpu, Severity::error);
  set_args(finding, {{"variable", backend.by_file ? std::string("backend") : std::string("KERAS_BACKEND")}, {"value", backend.name}});
  if (backend.by_file) {
    add_evidence(finding, "file", backend.file, "backend: " + backend.name);
    if (!propose_backend(chain, finding)) set_next_step(finding, "correct-setting", {"cat " + shell_word(backend.file)});
  } else {
    add_evidence(finding, "variable", "KERAS_BACKEND", backend.name);
    if (!propose_backend(chain, finding)) set_next_step(finding, "unset-variable", {unset_command(chain.snapshot(), "KERAS_BACKEND")});
  }
}

}  // namespace

void judge_keras(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  const auto folder = judge_python_links(chain, rule);
  if (folder.empty()) return;
  const auto backend = keras_backend(chain);
  if (backend.pending) {
    chain.undetermined(LinkId::wheel, Effect::no_gpu, "keras.json was not read");
    return;
  }
  if (!backend.refused.empty()) reject_file_entry(chain, backend.file, backend.refused, backend.value);
  // Keras computes where its backend computes: judge that one, and take its verdicts.
  const bool computes = computes_with(backend.name);
  for (const auto& other : framework_rules()) {
    if (!computes || backend.name != other.module) continue;
    const auto own = chain.chain;
    if (chain.import_of(other.module) == nullptr) return add_missing_backend(chain, backend, other.module, other.distributions.front());
    chain.chain.framework = other.framework;
    judge_framework(chain, other);
    // Another module of the backend's name can be imported; Keras, which uses what is in it, cannot.
    chain.deepen("module-shadowed-by-local-file", Effect::import_fails);
    chain.chain.framework = own.framework;
    chain.chain.package = own.package;
    chain.chain.version = own.version;
    return;
  }
  judge_other_backend(chain, folder, backend);
}

}  // namespace gpuway
