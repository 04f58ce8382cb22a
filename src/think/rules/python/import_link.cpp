#include "think/rules/python/import_link.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/knowledge/imports.h"
#include "think/knowledge/python_pins.h"
#include "think/rules/python/import_link_packages.h"
#include "think/rules/python/import_link_shadow.h"
#include "think/rules/python/python_release.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

std::string site_of(const PythonPackage* package, const ChainBuilder& chain) {
  return package == nullptr || package->site.empty() ? chain.environment().path : package->site;
}

void judge_base_python(ChainBuilder& chain) {
  const auto& environment = chain.environment();
  if (!environment.real_executable.is_absent()) return;
  auto& finding = chain.add(LinkId::import, "base-python-gone", Effect::import_fails, Severity::error);
  set_args(finding, {{"path", environment.base_prefix}});
  add_evidence(finding, "file", environment.executable, "a link to a file that does not exist");
  const auto written = environment.version.value_or("");
  const auto numbers = split(written, '.');
  const auto python =
      numbers.size() < 2 ? std::string("python3") : "python" + std::string(numbers[0]) + "." + std::string(numbers[1]);
  if (environment.kind == "uv") {
    set_next_step(finding, "recreate-environment",
                  {"uv venv --allow-existing --python " + python.substr(6) + " " + shell_word(environment.path)});
  } else {
    set_next_step(finding, "recreate-environment", {python + " -m venv --upgrade " + shell_word(environment.path)});
  }
}

// Whether the installed files, by their own list, hold nothing to import: a package that only leads to another one, as
// tensorflow 2.11.0 for Windows leads to tensorflow-intel.
bool is_stub(ChainBuilder& chain, const FrameworkRule& rule, const PythonPackage& distribution) {
  if (!distribution.location.ends_with(".dist-info")) return false;
  const auto record = join_path(distribution.location, "RECORD");
  const auto listed = std::string(rule.module) + "/__init__.py,";
  const auto key = needle_key(record, listed);
  const auto known = chain.snapshot().needles.find(key);
  if (known == chain.snapshot().needles.end()) {
    chain.wants().needles.emplace(key, Wants::Needle{record, listed});
    return false;
  }
  return known->second.is_known() && !*known->second.value;
}

void judge_nothing_to_import(ChainBuilder& chain, const FrameworkRule& rule, const PythonPackage* distribution) {
  if (has_import_hook(chain.environment())) {
    return chain.undetermined(LinkId::import, Effect::import_fails, "an editable installation may answer the import");
  }
  auto& finding = chain.add(LinkId::import, "incomplete-package-install", Effect::import_fails, Severity::error);
  set_args(finding, {{"package", chain.chain.package},
                     {"detail", std::string("no ") + rule.module + " folder on the search path"}});
  if (distribution != nullptr) {
    add_evidence(finding, "folder", distribution->location, "says that it is installed");
    if (is_stub(chain, rule, *distribution)) {
      chain.chain.flavour = "stub";
      add_evidence(finding, "file", join_path(distribution->location, "RECORD"), "lists nothing to import");
    }
  }
  add_evidence(finding, "folder", site_of(distribution, chain), std::string("holds no ") + rule.module);
  set_next_step(finding, "reinstall-package",
                {install_command(chain, {chain.chain.package.empty() ? rule.module : chain.chain.package},
                                 {"--force-reinstall"})});
}

// A folder without __init__.py is imported as an empty namespace: no error, and nothing in it.
void judge_namespace(ChainBuilder& chain, const FrameworkRule& rule, const ImportCandidate& winner) {
  auto& finding = chain.add(LinkId::import, "incomplete-package-install", Effect::no_gpu, Severity::error);
  set_args(finding, {{"package", chain.chain.package.empty() ? std::string(rule.module) : chain.chain.package},
                     {"detail", std::string(rule.module) + "/__init__.py"}});
  add_evidence(finding, "folder", winner.path, "has no __init__.py, so the import gives an empty namespace");
  set_next_step(finding, "reinstall-package",
                {install_command(chain, {chain.chain.package.empty() ? rule.module : chain.chain.package},
                                 {"--force-reinstall"})});
}

// A copy from outside the environment that wins over the environment's own.
void judge_foreign_copy(ChainBuilder& chain, const FrameworkRule& rule, const ImportCandidate& winner,
                        const PythonPackage* distribution) {
  const auto& folder = search_folder(chain, winner);
  if (is_own_site(chain, folder)) return;
  const ImportCandidate* own = nullptr;
  for (const auto& candidate : chain.environment().imports) {
    if (candidate.module == rule.module && candidate.kind == ImportCandidate::Kind::package &&
        candidate.folder != winner.folder && is_own_site(chain, search_folder(chain, candidate))) {
      own = &candidate;
      break;
    }
  }
  if (own == nullptr && folder.origin != "pythonpath")
    return;  // a deliberate place: the user's site, a venv with system packages
  const auto& own_site = own == nullptr ? std::string() : search_folder(chain, *own).path;
  const PythonPackage* hidden = nullptr;
  for (const auto* name : rule.distributions) {
    for (const auto* package : chain.packages(name)) {
      if (hidden == nullptr && package->site == own_site && !own_site.empty()) hidden = package;
    }
  }
  const bool differs = hidden != nullptr && distribution != nullptr &&
                       (hidden->version != distribution->version || hidden->name != distribution->name);
  auto& finding = chain.add(LinkId::import, "foreign-packages-on-sys-path", Effect::harmless,
                            differs ? Severity::warning : Severity::note);
  set_args(finding, {{"package", chain.chain.package.empty() ? std::string(rule.module) : chain.chain.package},
                     {"path", folder.path},
                     {"version", distribution == nullptr ? std::string() : distribution->version}});
  add_evidence(finding, "file", winner.path,
               folder.origin == "pythonpath" ? "comes from PYTHONPATH" : "comes from " + folder.origin);
  if (hidden != nullptr)
    add_evidence(finding, "folder", hidden->location, "the environment's own, version " + hidden->version);
  if (folder.origin == "pythonpath") {
    set_next_step(finding, "unset-pythonpath", {unset_command(chain.snapshot(), "PYTHONPATH")});
  } else if (folder.origin == "user-site") {
    set_next_step(finding, "ignore-user-site", {set_command(chain.snapshot(), "PYTHONNOUSERSITE", "1")});
  }
}

// Files without which the import fails; only those that the installed release really lists.
void judge_key_files(ChainBuilder& chain, const FrameworkRule& rule, const std::string& folder,
                     const PythonPackage* distribution) {
  if (distribution == nullptr || !distribution->location.ends_with(".dist-info")) return;
  const auto record = join_path(distribution->location, "RECORD");
  std::vector<std::string> missing;
  for (const auto file : key_files(rule.framework)) {
    const auto path = join_path(folder, file);
    const auto state = file_state(chain, path);
    if (state == FactState::undetermined) {
      chain.undetermined(LinkId::import, Effect::import_fails, path + ": not looked");
      continue;
    }
    if (state != FactState::absent) continue;
    const auto listed = std::string(rule.module) + "/" + std::string(file) + ",";
    const auto key = needle_key(record, listed);
    const auto known = chain.snapshot().needles.find(key);
    if (known == chain.snapshot().needles.end()) {
      chain.wants().needles.emplace(key, Wants::Needle{record, listed});
      chain.undetermined(LinkId::import, Effect::import_fails, record + ": not read");
    } else if (known->second.value_or(false)) {
      missing.emplace_back(file);
    }
  }
  if (missing.empty()) return;
  auto& finding = chain.add(LinkId::import, "incomplete-package-install", Effect::import_fails, Severity::error);
  set_args(finding, {{"package", distribution->name}, {"detail", join(missing, ", ")}});
  for (const auto& file : missing) add_evidence(finding, "file", join_path(folder, file), "not there");
  add_evidence(finding, "file", record, "lists it");
  set_next_step(finding, "reinstall-package",
                {install_command(chain, {distribution->name + "==" + distribution->version}, {"--force-reinstall"})});
}

}  // namespace

const SearchFolder& search_folder(const ChainBuilder& chain, const ImportCandidate& candidate) {
  static const SearchFolder none{{}, {}, false};
  const auto& path = chain.environment().search_path;
  if (candidate.folder < 0 || static_cast<std::size_t>(candidate.folder) >= path.size()) return none;
  return path[static_cast<std::size_t>(candidate.folder)];
}

bool is_in_front(const SearchFolder& folder) { return folder.origin == "script" || folder.origin == "pythonpath"; }

bool is_own_site(const ChainBuilder& chain, const SearchFolder& folder) {
  const auto& environment = chain.environment();
  const bool is_venv = environment.base_prefix != environment.path && !environment.base_prefix.empty();
  if (folder.origin == "site" || folder.origin == "pth" || folder.origin == "egg-link") return true;
  return folder.origin == "global-site" && !is_venv;
}

const PythonPackage* provider_of(const ChainBuilder& chain, std::string_view module) {
  const auto name = distribution_of(module);
  const auto* winner = chain.import_of(module.substr(0, module.find('.')));
  const auto found = chain.packages(name);
  if (winner != nullptr && winner->kind != ImportCandidate::Kind::namespace_folder) {
    const auto& site = search_folder(chain, *winner).path;
    for (const auto* package : found) {
      if (package->site == site) return package;
    }
  }
  return found.empty() ? nullptr : found.front();
}

FactState file_state(ChainBuilder& chain, const std::string& path) {
  const auto found = chain.snapshot().binaries.find(path);
  if (found == chain.snapshot().binaries.end()) {
    chain.wants().binaries.emplace(path, true);
    return FactState::undetermined;
  }
  switch (found->second.outcome) {
    case BinaryView::Outcome::missing: return FactState::absent;
    case BinaryView::Outcome::unreadable: return FactState::undetermined;
    default: return FactState::known;
  }
}

ImportResult judge_import_link(ChainBuilder& chain, const FrameworkRule& rule) {
  ImportResult result;
  result.winner = chain.import_of(rule.module);
  result.distribution = own_distribution(chain, rule);
  judge_base_python(chain);
  judge_leftovers(chain, rule);
  if (result.winner == nullptr) {
    judge_nothing_to_import(chain, rule, result.distribution);
    return result;
  }
  const auto& winner = *result.winner;
  const auto& folder = search_folder(chain, winner);
  const bool brings_distribution = result.distribution != nullptr && result.distribution->site == folder.path;
  if (winner.kind == ImportCandidate::Kind::namespace_folder) {
    if (has_import_hook(chain.environment())) {
      chain.undetermined(LinkId::import, Effect::import_fails, "an editable installation may answer the import");
    } else {
      judge_namespace(chain, rule, winner);
    }
    return result;
  }
  if (is_in_front(folder) && !brings_distribution) {
    judge_shadowed_framework(chain, winner);
    return result;
  }
  if (winner.kind != ImportCandidate::Kind::package) {
    // A single file in a site folder: a leftover or another project's module of this name.
    judge_shadowed_framework(chain, winner);
    return result;
  }
  result.folder = parent_path(winner.path);
  judge_foreign_copy(chain, rule, winner, result.distribution);
  judge_distributions(chain, rule, result.folder, result.distribution);
  judge_key_files(chain, rule, result.folder, result.distribution);
  return result;
}

}  // namespace gpuway
