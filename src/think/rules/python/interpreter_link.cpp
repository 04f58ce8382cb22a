#include "think/rules/python/interpreter_link.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/knowledge/imports.h"
#include "think/knowledge/python_pins.h"
#include "think/rules/python/import_link_shadow.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/keras_backend.h"
#include "think/rules/python/processor.h"
#include "think/rules/python/python_links.h"
#include "think/rules/python/python_pins_check.h"
#include "think/rules/python/python_release.h"

namespace gpuway {
namespace {

void add_wrong_python(ChainBuilder& chain, const PythonPackage& package) {
  auto& finding = chain.add(LinkId::interpreter, "no-wheel-for-python-version", Effect::import_fails, Severity::error);
  set_args(finding, {{"framework", package.name}, {"python", python_label(chain.environment())}});
  add_evidence(finding, "file", join_path(package.location, "WHEEL"), "Tag: " + package.wheel_tags.front());
  add_evidence(finding, "file", chain.environment().executable, "Python " + python_label(chain.environment()));
  set_next_step(finding, "reinstall-package", {install_command(chain, {package.name}, {"--force-reinstall"})});
}

// Compiled packages of another Python are not found, or not loadable, by this one.
void judge_python_tags(ChainBuilder& chain, const ImportResult& import, const ImportKnowledge* knowledge) {
  const auto python = python_release(chain.environment());
  if (python.major == 0) return;
  const auto fits = [&](const PythonPackage& package) { return tags_fit(package.wheel_tags, python); };
  if (import.distribution != nullptr && !fits(*import.distribution)) add_wrong_python(chain, *import.distribution);
  if (knowledge == nullptr) return;
  // Of the dependencies, these cannot do without their compiled part.
  for (const auto* module : {"jaxlib", "ml_dtypes", "numpy"}) {
    if (knowledge->need(module) != ModuleNeed::hard) continue;
    const auto* package = provider_of(chain, module);
    if (package != nullptr && !fits(*package)) add_wrong_python(chain, *package);
  }
}

enum class Presence : std::uint8_t { there, missing, unknown };

// `google.protobuf` lies in one of the portions of a namespace.
Presence presence_in_namespace(ChainBuilder& chain, std::string_view top, std::string_view part,
                               std::string& looked_at) {
  bool waiting = false, any = false;
  for (const auto& candidate : chain.environment().imports) {
    if (candidate.module != top) continue;
    if (is_in_front(search_folder(chain, candidate)) && candidate.kind != ImportCandidate::Kind::namespace_folder)
      continue;  // judged as a shadow
    any = true;
    const auto folder = candidate.kind == ImportCandidate::Kind::package ? parent_path(candidate.path) : candidate.path;
    looked_at = join_path(folder, part) + "/__init__.py";
    const auto state = file_state(chain, looked_at);
    if (state == FactState::known) return Presence::there;
    waiting = waiting || state == FactState::undetermined;
  }
  if (any && waiting) return Presence::unknown;
  return Presence::missing;
}

Presence presence_of(ChainBuilder& chain, const ImportKnowledge& knowledge, std::string_view module,
                     std::string& looked_at) {
  const auto dot = module.find('.');
  if (dot != std::string_view::npos)
    return presence_in_namespace(chain, module.substr(0, dot), module.substr(dot + 1), looked_at);
  const auto* candidate = chain.import_of(module);
  if (candidate == nullptr) return Presence::missing;
  if (candidate->kind != ImportCandidate::Kind::namespace_folder) return Presence::there;
  // What remains of a package without its __init__.py is an empty module of that name.
  looked_at = candidate->path;
  return knowledge.shadow(module) == ShadowEffect::harmless ? Presence::there : Presence::missing;
}

void judge_missing_modules(ChainBuilder& chain, const ImportKnowledge& knowledge) {
  const auto& environment = chain.environment();
  const auto add = [&](const char* id) -> Finding& {
    auto& finding = chain.add(LinkId::interpreter, id, Effect::import_fails, Severity::error,
                              knowledge.is_exact() ? Certainty::proven : Certainty::probable);
    set_args(finding, {{"framework", chain.chain.framework}});
    add_evidence(
        finding, "table", "imports.toml",
        chain.chain.framework + " " + std::string(knowledge.measured_version()) + " does not import without it");
    return finding;
  };
  Finding* missing = nullptr;  // one for all modules that are not installed: one command installs them
  std::vector<std::string> modules, distributions;
  const bool hooks = has_import_hook(environment);
  for (const auto module : knowledge.modules(ModuleNeed::hard)) {
    std::string looked_at;
    const auto presence = presence_of(chain, knowledge, module, looked_at);
    if (presence == Presence::there) continue;
    if (presence == Presence::unknown || hooks) {
      chain.undetermined(LinkId::interpreter, Effect::import_fails, std::string(module) + ": not looked");
      continue;
    }
    const auto* package = provider_of(chain, module);
    const bool listed = package != nullptr && !package->site.empty();
    if (!listed && missing == nullptr) missing = &add("dependency-missing");
    auto& finding = listed ? add("dependency-incomplete") : *missing;
    if (listed) {
      set_args(finding, {{"package", package->name}, {"module", std::string(module)}});
      add_evidence(finding, "folder", package->location, "says that it is installed");
    }
    add_evidence(finding, "folder", looked_at.empty() ? environment.path : looked_at,
                 looked_at.empty() ? "no " + std::string(module) + " in any folder of the search path"
                                   : "not a complete module");
    if (listed) {
      set_next_step(finding, "reinstall-package",
                    {install_command(chain, {package->name + "==" + package->version}, {"--force-reinstall"})});
      continue;
    }
    modules.emplace_back(module);
    if (auto name = distribution_of(module); std::find(distributions.begin(), distributions.end(), name) == distributions.end())
      distributions.push_back(std::move(name));
  }
  if (missing == nullptr) return;
  set_args(*missing, {{"modules", modules}});
  set_next_step(*missing, "install-dependency", {install_command(chain, distributions)});
}

// Keras needs less of its own with the torch backend.
std::string knowledge_name(const ChainBuilder& chain, const FrameworkRule& rule) {
  if (rule.framework != std::string_view("keras") || compare_versions(chain.chain.version, "3") < 0)
    return rule.framework;
  return keras_backend(chain).name == "torch" ? "keras-torch" : "keras";
}

}  // namespace

void judge_interpreter_link(ChainBuilder& chain, const FrameworkRule& rule, const ImportResult& import) {
  const auto knowledge = ImportKnowledge::of(knowledge_name(chain, rule), chain.chain.version);
  judge_python_tags(chain, import, knowledge ? &*knowledge : nullptr);
  judge_processor(chain);
  if (knowledge) {
    judge_shadowed_modules(chain, *knowledge, rule.module);
    judge_missing_modules(chain, *knowledge);
  }
  if (rule.framework == std::string_view("keras")) {
    const auto backend = keras_backend(chain).name;
    if (const auto more = ImportKnowledge::of("keras-" + backend, chain.chain.version); more && backend != "torch") {
      judge_shadowed_modules(chain, *more, rule.module);
      judge_missing_modules(chain, *more);
    }
  }
  judge_python_pins(chain, rule, import);
}

}  // namespace gpuway
