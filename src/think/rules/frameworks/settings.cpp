#include "think/rules/frameworks/settings.h"

#include <algorithm>
#include <optional>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"

namespace gpuway {
namespace {

std::vector<std::string> flag_names(std::string_view text) {
  std::vector<std::string> names;
  constexpr std::string_view blanks = " \t\r\n";
  for (auto at = text.find_first_not_of(blanks); at != std::string_view::npos;
       at = text.find_first_not_of(blanks, at)) {
    const auto end = std::min(text.find_first_of(blanks, at), text.size());
    auto word = text.substr(at, end - at);
    at = end;
    // Other words are parts of a quoted value.
    if (!word.starts_with("--")) continue;
    word = word.substr(2, word.find('=') - 2);
    if (!word.empty() && word.find_first_of("'\"") == std::string_view::npos) names.emplace_back(word);
  }
  return names;
}

// Whether one of the files holds the name; nothing while that is not known.
std::optional<bool> is_known_flag(ChainBuilder& chain, const std::string& name, const std::vector<std::string>& files) {
  bool unread = false, any = false;
  for (const auto& file : files) {
    const auto held = holds_bytes(chain, file, name);
    if (held.value_or(false)) return true;
    unread = unread || held.is_undetermined();
    any = any || held.is_known();
  }
  return unread || !any ? std::nullopt : std::optional(false);
}

}  // namespace

void reject_variable(ChainBuilder& chain, LinkId link, Effect effect, const std::string& name,
                     const std::string& value) {
  auto& finding = chain.add(link, "setting-rejected", effect, Severity::error);
  set_args(finding, {{"framework", chain.chain.framework}, {"setting", name}, {"value", value}});
  add_evidence(finding, "variable", name, value);
  set_next_step(finding, "unset-variable", {unset_command(chain.snapshot(), name)});
}

void note_cpu_chosen(ChainBuilder& chain, const std::string& name, const std::string& value) {
  auto& finding = chain.add(LinkId::device, "program-selects-cpu", Effect::no_gpu, Severity::error);
  set_args(finding, {{"variable", name}, {"value", value}});
  add_evidence(finding, "variable", name, value);
  set_next_step(finding, "unset-variable", {unset_command(chain.snapshot(), name)});
}

void judge_xla_flags(ChainBuilder& chain, const std::string& variable, const std::vector<std::string>& files) {
  const auto* value = chain.variable(variable);
  if (value == nullptr) return;
  const auto written = trim(*value);
  if (written.empty()) return;
  std::string text(written);
  if (!written.starts_with('-')) {
    const auto path = written.starts_with('/') ? text : join_path(chain.snapshot().current_folder, text);
    const auto state = chain.text_state(path);
    if (state == FactState::undetermined) {
      chain.undetermined(LinkId::interpreter, Effect::process_dies, path + " was not read");
      return;
    }
    if (state == FactState::absent) {
      reject_variable(chain, LinkId::interpreter, Effect::process_dies, variable, text);
      return;
    }
    text = *chain.text(path);
  }
  for (const auto& name : flag_names(text)) {
    const auto known = is_known_flag(chain, name, files);
    if (!known) chain.undetermined(LinkId::interpreter, Effect::process_dies, variable + ": --" + name);
    if (!known || *known) continue;
    reject_variable(chain, LinkId::interpreter, Effect::process_dies, variable, "--" + name);
    return;
  }
}

}  // namespace gpuway
