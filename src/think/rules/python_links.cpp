#include "think/rules/python_links.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/knowledge/python_needs.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

// Release numbers of a version, without what follows them; enough for the bounds in the table.
std::vector<std::int64_t> release_of(std::string_view version) {
  std::vector<std::int64_t> numbers;
  for (const auto part : split(version, '.')) {
    const auto end = part.find_first_not_of("0123456789");
    const auto number = to_integer(part.substr(0, end));
    if (!number) break;
    numbers.push_back(*number);
    if (end != std::string_view::npos) break;
  }
  return numbers;
}

bool is_below_version(std::string_view version, std::string_view bound) {
  auto a = release_of(version), b = release_of(bound);
  const auto size = std::max(a.size(), b.size());
  a.resize(size);
  b.resize(size);
  return a < b;
}

const SearchFolder* folder_of(const ChainBuilder& chain, const ImportCandidate& candidate) {
  const auto index = static_cast<std::size_t>(candidate.folder);
  return index < chain.environment().search_path.size() ? &chain.environment().search_path[index] : nullptr;
}

bool is_local(const ChainBuilder& chain, const ImportCandidate& candidate) {
  const auto* folder = folder_of(chain, candidate);
  return folder != nullptr && (folder->origin == "script" || folder->origin == "pythonpath");
}

void add_shadow(ChainBuilder& chain, const ImportCandidate& candidate, Effect effect, Certainty certainty) {
  auto& finding = chain.add(LinkId::import, "module-shadowed-by-local-file", effect, Severity::error, certainty);
  set_args(finding, {{"module", candidate.module}, {"path", candidate.path}, {"framework", chain.chain.framework}});
  add_evidence(finding, "file", candidate.path, "comes before the installed module on the search path");
  set_next_step(finding, "rename-local-file", {"mv " + shell_word(candidate.path) + " " + shell_word(candidate.path + ".renamed")});
}

void judge_shadowed_modules(ChainBuilder& chain) {
  for (const auto name : modules_that_break_when_shadowed(chain.chain.framework)) {
    const auto* winner = chain.import_of(name);
    if (winner == nullptr || winner->kind == ImportCandidate::Kind::namespace_folder || !is_local(chain, *winner)) continue;
    // Another candidate behind it is what the framework means; without one nothing is shadowed but a built-in module,
    // which wins over every file.
    const auto others = std::count_if(chain.environment().imports.begin(), chain.environment().imports.end(),
                                      [&](const ImportCandidate& c) { return c.module == name; });
    if (others < 2) continue;
    // What the file holds is not read: it could, in principle, offer everything that is used of the real module.
    add_shadow(chain, *winner, Effect::import_fails, Certainty::probable);
  }
}

void judge_missing_modules(ChainBuilder& chain, int major, int minor) {
  for (const auto name : hard_modules(chain.chain.framework, major, minor)) {
    const auto* found = chain.import_of(name);
    if (found != nullptr && (found->kind != ImportCandidate::Kind::namespace_folder || name == "google")) continue;
    auto& finding = chain.add(LinkId::interpreter, "dependency-missing", Effect::import_fails, Severity::error);
    set_args(finding, {{"framework", chain.chain.framework}, {"module", std::string(name)}});
    add_evidence(finding, "folder", chain.environment().path, "no module " + std::string(name) + " on the search path");
    set_next_step(finding, "install-dependency", {install_command(chain, {chain.chain.package + "==" + chain.chain.version}, {"--force-reinstall"})});
  }
}

void judge_versions(ChainBuilder& chain, int minor) {
  for (const auto& range : breaking_ranges()) {
    if (range.framework != chain.chain.framework || minor < range.from_minor || minor > range.to_minor) continue;
    const auto* package = chain.package(range.distribution);
    if (package == nullptr || release_of(package->version).empty()) continue;
    const bool breaks = range.below.empty() ? !is_below_version(package->version, range.at_least)
                                            : is_below_version(package->version, range.below);
    if (!breaks) continue;
    // The slow pure-Python protobuf accepts old generated code whatever its version.
    if (range.finding == "protobuf-too-new" && chain.variable("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION") != nullptr) continue;
    auto& finding = chain.add(LinkId::interpreter, std::string(range.finding), Effect::import_fails, Severity::error);
    set_args(finding, {{"framework", chain.chain.framework},
                       {"package", package->name},
                       {"numpy", package->version},
                       {"protobuf", package->version},
                       {"needs", std::string(range.needs)},
                       {"version", range.finding == "numpy2-abi-break" ? chain.chain.version : package->version}});
    add_evidence(finding, "file", package->location, "version " + package->version);
    add_evidence(finding, "table", "python_needs", chain.chain.framework + " " + chain.chain.version + " needs " + std::string(range.needs));
    set_next_step(finding, "install-fitting-version", {install_command(chain, {std::string(range.needs)})});
  }
}

// jax names the oldest jaxlib it accepts and refuses one newer than itself (jax/version.py, jax/_src/lib/__init__.py).
void judge_jaxlib(ChainBuilder& chain, const std::string& folder) {
  const auto* jaxlib = chain.package("jaxlib");
  if (jaxlib == nullptr || chain.chain.framework != "jax") return;
  const auto* text = chain.text(folder + "/version.py");
  const auto oldest = text == nullptr ? std::string() : python_constant(*text, "_minimum_jaxlib_version");
  const bool too_old = !oldest.empty() && is_below_version(jaxlib->version, oldest);
  const bool too_new = is_below_version(chain.chain.version, jaxlib->version);
  if (!too_old && !too_new) return;
  auto& finding = chain.add(LinkId::interpreter, "jax-plugin-version-mismatch", Effect::import_fails, Severity::error);
  set_args(finding, {{"jaxlib", jaxlib->version}, {"plugin", chain.chain.version}});
  add_evidence(finding, "file", jaxlib->location, "jaxlib " + jaxlib->version + ", jax " + chain.chain.version);
  set_next_step(finding, "install-fitting-version", {install_command(chain, {"jaxlib==" + chain.chain.version})});
}

}  // namespace

std::string judge_python_links(ChainBuilder& chain, const FrameworkRule& rule) {
  const auto* winner = chain.import_of(rule.module);
  if (chain.environment().real_executable.is_absent()) {
    auto& finding = chain.add(LinkId::interpreter, "base-python-gone", Effect::import_fails, Severity::error);
    set_args(finding, {{"path", chain.environment().executable}});
    add_evidence(finding, "file", chain.environment().executable, "a link to nothing");
    set_next_step(finding, "make-environment-again", {"ls -l " + shell_word(chain.environment().executable)});
  }
  if (winner != nullptr && is_local(chain, *winner) && chain.package(rule.distributions.front()) != nullptr) {
    const auto* folder = folder_of(chain, *winner);
    const auto& packages = chain.environment().packages;
    const bool installed_there = std::any_of(packages.begin(), packages.end(), [&](const PythonPackage& package) {
      return package.site == folder->path && std::any_of(rule.distributions.begin(), rule.distributions.end(), [&](const char* name) { return package.name == name; });
    });
    if (!installed_there && winner->kind != ImportCandidate::Kind::namespace_folder) {
      add_shadow(chain, *winner, Effect::no_gpu, Certainty::proven);
      return {};
    }
  }
  if (winner == nullptr || winner->kind != ImportCandidate::Kind::package) {
    auto& finding = chain.add(LinkId::import, "incomplete-package-install", Effect::import_fails, Severity::error);
    set_args(finding, {{"package", chain.chain.package}, {"detail", std::string("no package folder ") + rule.module}});
    add_evidence(finding, "folder", winner == nullptr ? chain.environment().path : winner->path, "no " + std::string(rule.module) + "/__init__.py");
    set_next_step(finding, "reinstall-package", {install_command(chain, {chain.chain.package + "==" + chain.chain.version}, {"--force-reinstall"})});
    return {};
  }
  const auto folder = parent_path(winner->path);
  const auto version = release_of(chain.chain.version);
  const int major = version.empty() ? 0 : static_cast<int>(version[0]);
  const int minor = version.size() < 2 ? 0 : static_cast<int>(version[1]);
  judge_shadowed_modules(chain);
  judge_missing_modules(chain, major, minor);
  if (!version.empty()) judge_versions(chain, minor);
  judge_jaxlib(chain, folder);
  return folder;
}

Fact<bool> holds_bytes(ChainBuilder& chain, const std::string& path, const std::string& text) {
  const auto key = needle_key(path, text);
  const auto found = chain.snapshot().needles.find(key);
  if (found != chain.snapshot().needles.end()) return found->second;
  chain.wants().needles.emplace(key, Wants::Needle{path, text});
  return {};
}

}  // namespace gpuway
