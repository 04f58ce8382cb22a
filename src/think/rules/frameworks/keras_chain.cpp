#include "base/path.h"
#include "base/text.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"

namespace gpuway {
namespace {

// Keras 3 takes KERAS_BACKEND, then its configuration file, then TensorFlow (keras/src/backend/config.py).
std::string backend_of(ChainBuilder& chain, bool& pending) {
  if (const auto* value = chain.variable("KERAS_BACKEND"); value != nullptr && !value->empty()) return *value;
  const auto* home = chain.variable("KERAS_HOME");
  if (home == nullptr && chain.snapshot().home_folder.empty()) return "tensorflow";
  const auto path = (home != nullptr ? *home : chain.snapshot().home_folder + "/.keras") + "/keras.json";
  const auto* text = chain.text(path);
  if (text == nullptr) {
    pending = chain.text_state(path) == FactState::undetermined;
    return "tensorflow";
  }
  const auto backend = python_constant(*text, "backend");
  return backend.empty() ? "tensorflow" : backend;
}

}  // namespace

void judge_keras(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  if (judge_python_links(chain, rule).empty()) return;
  bool pending = false;
  auto backend = backend_of(chain, pending);
  if (pending) {
    chain.undetermined(LinkId::wheel, Effect::no_gpu, "keras.json was not read");
    return;
  }
  // Keras computes where its backend computes: judge that one, and take its verdicts.
  const auto framework = backend == "torch" ? std::string("pytorch") : backend;
  for (const auto& other : framework_rules()) {
    if (framework != other.framework || framework == "keras") continue;
    const auto own = chain.chain;
    if (chain.import_of(other.module) == nullptr) {
      auto& finding = chain.add(LinkId::interpreter, "dependency-missing", Effect::import_fails, Severity::error);
      set_args(finding, {{"framework", std::string("keras")}, {"modules", std::vector<std::string>{other.module}}});
      add_evidence(finding, "variable", "KERAS_BACKEND", backend);
      set_next_step(finding, "install-dependency", {install_command(chain, {other.distributions.front()})});
      return;
    }
    chain.chain.framework = framework;
    other.judge(chain);
    chain.chain.framework = own.framework;
    chain.chain.package = own.package;
    chain.chain.version = own.version;
    return;
  }
}

}  // namespace gpuway
