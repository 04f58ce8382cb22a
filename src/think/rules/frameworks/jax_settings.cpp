#include "think/rules/frameworks/jax_settings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/frameworks/settings.h"

namespace gpuway {
namespace {

std::string upper(std::string_view text) {
  std::string out(text);
  for (auto& letter : out) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return out;
}

// The words that JAX takes for yes and no (config.strtobool).
bool is_truth_value(std::string_view value) {
  constexpr std::array<std::string_view, 12> words = {"y", "yes", "t", "true",  "on",  "1",
                                                      "n", "no",  "f", "false", "off", "0"};
  return std::find(words.begin(), words.end(), to_lower(value)) != words.end();
}

// What Python's int() takes, in ASCII.
bool is_whole_number(std::string_view value) {
  auto digits = trim(value);
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  bool was_digit = false;
  for (const char c : digits) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c != '_' || !was_digit)) return false;
    was_digit = is_digit;
  }
  return was_digit;
}

// The quoted words of `enum_values=['ignore', 'raise'],` in a definition; none when they are written in another way.
std::vector<std::string_view> listed_values(std::string_view definition) {
  constexpr std::string_view key = "enum_values=[";
  std::vector<std::string_view> values;
  const auto start = definition.find(key);
  if (start == std::string_view::npos) return values;
  auto rest = definition.substr(start + key.size());
  rest = rest.substr(0, rest.find(']'));
  for (auto open = rest.find_first_of("'\""); open != std::string_view::npos; open = rest.find_first_of("'\"")) {
    const auto close = rest.find(rest[open], open + 1);
    if (close == std::string_view::npos) break;
    values.push_back(rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(close + 1);
  }
  return values;
}

// Whether the option that `definition` begins with takes the value; `type` is the word before "_state(".
bool takes(std::string_view type, std::string_view definition, std::string_view value) {
  if (type.ends_with("bool")) return is_truth_value(value);
  if (type.ends_with("int")) return is_whole_number(value);
  if (!type.ends_with("enum")) return true;
  const auto values = listed_values(definition);
  return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
}

// The text behind `word = ` when `text` begins with that, however it is spaced.
std::optional<std::string_view> after_key(std::string_view text, std::string_view word) {
  const auto skip_blanks = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size())); };
  skip_blanks();
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  skip_blanks();
  if (!text.starts_with('=')) return std::nullopt;
  text.remove_prefix(1);
  skip_blanks();
  return text;
}

// One file's definitions: `enable_x64 = bool_state(` and, on the next line, `name='jax_enable_x64',`
void judge_definitions(ChainBuilder& chain, std::string_view text) {
  constexpr std::string_view opening = "_state(";
  for (auto at = text.find(opening), next = at; at != std::string_view::npos; at = next) {
    const auto begin = at + opening.size();
    next = text.find(opening, begin);
    const auto rest = after_key(text.substr(begin, next == std::string_view::npos ? next : next - begin), "name");
    if (!rest || rest->empty() || (rest->front() != '\'' && rest->front() != '"')) continue;
    const auto name = upper(rest->substr(1, rest->substr(1).find(rest->front())));
    const auto* value = chain.variable(name);
    if (value != nullptr && !takes(text.substr(0, at), *rest, *value))
      reject_variable(chain, LinkId::interpreter, Effect::import_fails, name, *value);
  }
}

// The back end that a name stands for on a CUDA build. `gpu` stands for CUDA and ROCm both.
bool is_cuda(std::string_view name) { return name == "cuda" || name == "gpu"; }

}  // namespace

void judge_jax_switches(ChainBuilder& chain, const std::string& folder) {
  const bool any = std::any_of(chain.snapshot().variables.begin(), chain.snapshot().variables.end(),
                               [](const auto& variable) { return variable.first.starts_with("JAX_"); });
  if (!any) return;
  for (const auto* file : {"_src/config.py", "_src/xla_bridge.py"}) {
    if (const auto* text = chain.text(join_path(folder, file))) judge_definitions(chain, *text);
  }
}

bool chooses_cuda(ChainBuilder& chain) {
  std::string chosen_by, chosen;
  if (const auto* list = chain.variable("JAX_PLATFORMS"); list != nullptr && !list->empty()) {
    const auto names = split(*list, ',');
    for (const auto& name : names) {
      // Neither ROCm's nor another vendor's back end is there beside CUDA's, so `gpu` raises as well.
      if (name == "cpu" || name == "cuda") continue;
      reject_variable(chain, LinkId::device, Effect::no_gpu, "JAX_PLATFORMS", *list);
      return false;
    }
    chosen_by = "JAX_PLATFORMS";
    chosen = names.front();
    const bool has_cuda = std::find(names.begin(), names.end(), "cuda") != names.end();
    if (!has_cuda) {
      note_cpu_chosen(chain, "JAX_PLATFORMS", *list);
      return false;
    }
  }
  for (const auto* name : {"JAX_XLA_BACKEND", "JAX_PLATFORM_NAME"}) {
    const auto* value = chain.variable(name);
    if (value == nullptr || value->empty()) continue;
    chosen_by = name;
    chosen = to_lower(*value);
    break;
  }
  if (chosen.empty() || is_cuda(chosen)) return true;
  if (chosen == "cpu") {
    note_cpu_chosen(chain, chosen_by, *chain.variable(chosen_by));
  } else {
    reject_variable(chain, LinkId::device, Effect::no_gpu, chosen_by, chosen);
  }
  return false;
}

void judge_visible_devices(ChainBuilder& chain, const DriverAnswer& driver) {
  const auto* value = chain.variable("JAX_CUDA_VISIBLE_DEVICES");
  if (value == nullptr || *value == "all" || driver.report == nullptr) return;
  const auto count = driver.report->device_count.value_or(0);
  if (count <= 0) return;
  int taken = 0;
  for (const auto& word : split(*value, ',')) {
    const auto index = to_integer(trim(word));
    if (!index || *index < 0 || *index >= count)
      return reject_variable(chain, LinkId::device, Effect::no_gpu, "JAX_CUDA_VISIBLE_DEVICES", *value);
    ++taken;
  }
  chain.chain.device_count = taken;
}

}  // namespace gpuway
