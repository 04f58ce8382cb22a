#include "think/rules/python/import_link_shadow.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/python/import_link.h"
#include "think/rules/python/python_release.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxShadowFindings = 20;  // a folder full of such names needs no longer list

bool is_name_char(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Whether the text begins with the whole word.
bool starts_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !is_name_char(text[word.size()]));
}

// Whether `name.something` stands in the statement.
bool uses_attribute(std::string_view statement, std::string_view name) {
  for (auto at = statement.find(name); at != std::string_view::npos; at = statement.find(name, at + 1)) {
    if (at > 0 && (is_name_char(statement[at - 1]) || statement[at - 1] == '.')) continue;
    if (at + name.size() < statement.size() && statement[at + name.size()] == '.') return true;
  }
  return false;
}

// The name that `import module as name` binds, or the module itself.
std::string_view bound_name(std::string_view statement, std::string_view module) {
  const auto as = statement.find(" as ");
  return as == std::string_view::npos ? module
                                      : trim(statement.substr(as + 4, statement.substr(as + 4).find_first_of(" ,;#")));
}

void suggest_rename(Finding& finding, const std::string& path) {
  set_next_step(finding, "rename-local-file", {"mv " + shell_word(path) + " " + shell_word(path + ".renamed")});
}

// The path a person renames: the folder of a package, the file of a module, the archive that holds it.
std::string thing_to_rename(const ChainBuilder& chain, const ImportCandidate& candidate) {
  if (candidate.kind == ImportCandidate::Kind::zipped) return search_folder(chain, candidate).path;
  return candidate.kind == ImportCandidate::Kind::package ? parent_path(candidate.path) : candidate.path;
}

// A *-nspkg.pth file of the site folders makes the namespace before the script's folder is searched.
enum class Answer : std::uint8_t { no, yes, unknown };
Answer loaded_by_pth(const ChainBuilder& chain, const ImportCandidate& shadow) {
  bool waiting = false;
  for (const auto& path : chain.environment().pth_code) {
    if (!path.ends_with("-nspkg.pth")) continue;
    const auto* text = chain.text(path);
    if (text == nullptr) {
      waiting = waiting || chain.text_state(path) == FactState::undetermined;
      continue;
    }
    if (text->find("'" + shadow.module + "'") != std::string::npos) return Answer::yes;
    // What the file's own line imports; a file on PYTHONPATH stands in front even then.
    if (search_folder(chain, shadow).origin == "script" &&
        is_loaded_at_start("nspkg", python_release(chain.environment()).minor, shadow.module))
      return Answer::yes;
  }
  return waiting ? Answer::unknown : Answer::no;
}

// The copy that the shadow hides: the next one on the path. A standard module without one is built into the
// interpreter, which is asked before the path.
const ImportCandidate* hidden_by(const ChainBuilder& chain, const ImportCandidate& shadow) {
  for (const auto& candidate : chain.environment().imports) {
    if (candidate.module == shadow.module && candidate.folder > shadow.folder &&
        candidate.kind != ImportCandidate::Kind::namespace_folder && !is_in_front(search_folder(chain, candidate))) {
      return &candidate;
    }
  }
  return nullptr;
}

// A PYTHONPATH folder that holds the module's distribution too is a place with installed packages, not a local file.
bool is_installed_copy(const ChainBuilder& chain, const ImportCandidate& candidate) {
  const auto& folder = search_folder(chain, candidate);
  const auto name = distribution_of(candidate.module);
  return std::any_of(chain.environment().packages.begin(), chain.environment().packages.end(),
                     [&](const PythonPackage& package) { return package.site == folder.path && package.name == name; });
}

void add_shadow(ChainBuilder& chain, const ImportCandidate& shadow, const ImportCandidate* hidden, Effect effect,
                Certainty certainty, const std::string& why) {
  const bool harmless = effect == Effect::harmless;
  auto& finding = chain.add(LinkId::import, "module-shadowed-by-local-file", effect,
                            harmless ? Severity::note : Severity::error, certainty);
  set_args(finding, {{"module", shadow.module}, {"path", shadow.path}});
  add_evidence(finding, "file", shadow.path, why);
  if (hidden != nullptr) add_evidence(finding, "file", hidden->path, "hidden by it");
  if (!harmless) suggest_rename(finding, thing_to_rename(chain, shadow));
}

void judge_shadowed_module(ChainBuilder& chain, const ImportKnowledge& knowledge, const ImportCandidate& shadow,
                           bool first_of_all, bool alone) {
  const auto& folder = search_folder(chain, shadow);
  // PYTHONPATH is searched even by the modules that the interpreter itself loads first.
  const bool at_start = is_loaded_at_start("python", python_release(chain.environment()).minor, shadow.module);
  if (at_start && folder.origin == "script") return;
  const auto effect = at_start ? ShadowEffect::breaks : knowledge.shadow(shadow.module);
  if (effect == ShadowEffect::none) return;
  const auto* hidden = hidden_by(chain, shadow);
  if (is_standard_module(shadow.module) && hidden == nullptr && !at_start) return;
  if (!first_of_all) return;
  switch (loaded_by_pth(chain, shadow)) {
    case Answer::yes:
      return add_shadow(chain, shadow, hidden, Effect::harmless, Certainty::proven,
                        "the module is loaded by a .pth file before this folder is searched");
    case Answer::unknown:
      return chain.undetermined(LinkId::import, Effect::import_fails, shadow.path + ": a .pth file was not read");
    case Answer::no: break;
  }
  if (shadow.kind == ImportCandidate::Kind::extension) {
    return add_shadow(chain, shadow, hidden, Effect::import_fails, Certainty::probable,
                      "a compiled module stands before the real one");
  }
  const auto* text = shadow.kind == ImportCandidate::Kind::zipped ? nullptr : chain.text(shadow.path);
  if (text == nullptr) {
    return chain.undetermined(LinkId::import, Effect::import_fails, shadow.path + ": not read");
  }
  if (hidden != nullptr && hidden->kind != ImportCandidate::Kind::extension && !text->empty()) {
    const auto* real = chain.text(hidden->path);
    if (real != nullptr && *real == *text)
      return add_shadow(chain, shadow, hidden, Effect::harmless, Certainty::proven, "the same text as the real module");
  }
  const auto seen = read_module_text(*text, shadow.module);
  if (effect == ShadowEffect::harmless) {
    return add_shadow(chain, shadow, hidden, Effect::harmless,
                      seen.does_nothing ? Certainty::proven : Certainty::probable,
                      "asked for by the import, which works with an empty module of this name");
  }
  if (seen.is_namespace)
    return add_shadow(chain, shadow, hidden, Effect::harmless, Certainty::probable,
                      "extends its path, so the real package stays reachable");
  // Whether the process gets as far as dying depends on everything before it, so with other files in front it just
  // fails.
  const auto takes = effect == ShadowEffect::dies && alone ? Effect::import_dies : Effect::import_fails;
  const bool sure = seen.does_nothing && (knowledge.is_exact() || at_start);
  add_shadow(chain, shadow, hidden, takes, sure ? Certainty::proven : Certainty::probable,
             seen.does_nothing ? "an empty module stands before the real one"
                               : "a module of another project stands before the real one");
}

}  // namespace

ModuleText read_module_text(std::string_view text, std::string_view module) {
  ModuleText seen;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  seen.is_namespace =
      text.find("extend_path") != std::string_view::npos || text.find("declare_namespace") != std::string_view::npos;
  bool nothing = true;
  std::string_view open_quote;          // of a text literal over several lines
  std::vector<std::string_view> names;  // bound to the module by its own imports
  for (const auto line : split_lines(text)) {
    auto rest = line;
    if (!open_quote.empty()) {
      const auto end = rest.find(open_quote);
      if (end == std::string_view::npos) continue;
      rest = rest.substr(end + 3);
      open_quote = {};
    }
    const auto statement = trim(rest);
    if (statement.empty() || statement.front() == '#' || statement == "pass") continue;
    if (statement.starts_with("\"\"\"") || statement.starts_with("'''")) {
      const auto quote = statement.substr(0, 3);
      const auto end = statement.find(quote, 3);
      if (end == std::string_view::npos) {
        open_quote = quote;
      } else if (!trim(statement.substr(end + 3)).empty()) {
        nothing = false;
      }
      continue;
    }
    const bool literal = statement.size() >= 2 && (statement.front() == '"' || statement.front() == '\'') &&
                         statement.find(statement.front(), 1) == statement.size() - 1;
    if (literal) continue;
    nothing = false;
    if (starts_with_word(statement, "from")) {
      seen.imports_itself = seen.imports_itself || starts_with_word(trim(statement.substr(4)), module);
    } else if (starts_with_word(statement, "import")) {
      const auto source = trim(statement.substr(6));
      if (!starts_with_word(source, module)) continue;
      if (source.size() > module.size() && source[module.size()] == '.') seen.imports_itself = true;  // a part of it
      names.push_back(bound_name(source, module));
    } else if (rest.front() != ' ' && rest.front() != '\t') {  // runs while the module is loaded
      seen.imports_itself = seen.imports_itself || std::any_of(names.begin(), names.end(), [&](auto name) {
                              return uses_attribute(statement, name);
                            });
    }
  }
  seen.does_nothing = nothing;
  return seen;
}

void judge_shadowed_framework(ChainBuilder& chain, const ImportCandidate& winner) {
  const ImportCandidate* hidden = hidden_by(chain, winner);
  const auto add = [&](Effect effect, Certainty certainty, const std::string& why) {
    add_shadow(chain, winner, hidden, effect, certainty, why);
  };
  if (winner.kind == ImportCandidate::Kind::extension)
    return add(Effect::import_fails, Certainty::probable, "a compiled module stands before the package");
  if (winner.kind == ImportCandidate::Kind::zipped) {
    add(Effect::no_gpu, Certainty::proven, "stands before the package, in an archive that can hold no compiled library");
    return chain.undetermined(LinkId::import, Effect::import_fails, winner.path + ": not read");
  }
  const auto* text = chain.text(winner.path);
  if (text == nullptr) {
    add(Effect::no_gpu, Certainty::proven, "stands before the package");
    if (chain.text_state(winner.path) == FactState::undetermined)
      chain.undetermined(LinkId::import, Effect::import_fails, winner.path + ": not read");
    return;
  }
  const auto seen = read_module_text(*text, winner.module);
  // An empty module is imported without an error; it just has nothing of the framework in it.
  if (seen.does_nothing)
    return add(Effect::no_gpu, Certainty::proven, "an empty module: the import works and gives nothing");
  if (seen.imports_itself)
    return add(Effect::import_fails, Certainty::proven, "asks itself for the names of the package it hides");
  // A source checkout: its package needs parts that only building makes.
  const bool checkout = winner.kind == ImportCandidate::Kind::package && text->size() > 2000;
  add(checkout ? Effect::import_fails : Effect::no_gpu, Certainty::probable,
      checkout ? "a source tree of the package, not built" : "another module of this name");
}

void judge_shadowed_modules(ChainBuilder& chain, const ImportKnowledge& knowledge, std::string_view framework_module) {
  std::vector<const ImportCandidate*> shadows;
  for (const auto& candidate : chain.environment().imports) {
    if (candidate.module == framework_module || candidate.kind == ImportCandidate::Kind::namespace_folder) continue;
    if (!is_in_front(search_folder(chain, candidate)) || is_installed_copy(chain, candidate)) continue;
    if (shadows.size() == kMaxShadowFindings) break;
    shadows.push_back(&candidate);
  }
  for (const auto* shadow : shadows) {
    judge_shadowed_module(chain, knowledge, *shadow, chain.import_of(shadow->module) == shadow, shadows.size() == 1);
  }
}

}  // namespace gpuway
