#include "think/rules/frameworks/framework_chains.h"

#include "base/path.h"
#include "base/text.h"
#include "think/loader/windows/windows_loader.h"
#include "think/rules/windows/windows_chains.h"

namespace gpuway {

const std::vector<FrameworkRule>& framework_rules() {
  static const std::vector<FrameworkRule> rules = {
      {"tensorflow",
       "tensorflow",
       {"tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel", "tensorflow-rocm", "tf-nightly",
        "tf-nightly-gpu", "tf-nightly-cpu", "intel-tensorflow", "tensorflow-directml", "tensorflow-cpu-aws",
        "tensorflow-aarch64", "tensorflow-macos"},
       &judge_tensorflow,
       &judge_tensorflow_on_windows},
      {"pytorch", "torch", {"torch", "pytorch"}, &judge_pytorch,
       &judge_pytorch_on_windows},
      {"jax", "jax", {"jax"}, &judge_jax,
       &judge_jax_on_windows},
      {"onnxruntime",
       "onnxruntime",
       {"onnxruntime-gpu", "onnxruntime", "onnxruntime-directml", "onnxruntime-openvino", "onnxruntime-rocm",
        "onnxruntime-migraphx", "onnxruntime-training", "ort-nightly-gpu", "ort-nightly"},
       &judge_onnxruntime,
       &judge_onnxruntime_on_windows},
      {"keras", "keras", {"keras", "keras-nightly"}, &judge_keras, &judge_keras, true},
  };
  return rules;
}

namespace {

// None of the frameworks has wheels for 32-bit Pythons; what is there was put there by force.
bool add_32_bit_python(ChainBuilder& chain, const FrameworkRule& rule) {
  const auto& environment = chain.environment();
  if (!environment.machine.is_known() || *environment.machine != kMachineX86) return false;
  own_distribution(chain, rule);
  auto& finding = chain.add(LinkId::interpreter, "python-32-bit", Effect::import_fails, Severity::error);
  set_args(finding, {{"framework", chain.chain.framework}, {"path", environment.executable}});
  add_evidence(finding, "file", environment.machine.source.where, "a 32-bit program");
  set_next_step(finding, "install-64-bit-python", {"winget install --id Python.Python.3.11 --architecture x64"});
  return true;
}

}  // namespace

void judge_framework(ChainBuilder& chain, const FrameworkRule& rule) {
  if (chain.snapshot().windows) {
    if (add_32_bit_python(chain, rule)) return;
    return rule.judge_on_windows(chain);
  }
  rule.judge_on_linux(chain);
}

const FrameworkRule& rule_of(const ChainBuilder& chain) {
  for (const auto& rule : framework_rules()) {
    if (chain.chain.framework == rule.framework) return rule;
  }
  return framework_rules().front();
}

const PythonPackage* own_distribution(ChainBuilder& chain, const FrameworkRule& rule) {
  const auto* winner = chain.import_of(rule.module);
  std::string site;
  if (winner != nullptr && winner->folder >= 0 &&
      winner->folder < static_cast<int>(chain.environment().search_path.size())) {
    site = chain.environment().search_path[static_cast<std::size_t>(winner->folder)].path;
  }
  const PythonPackage* best = nullptr;
  for (const auto* name : rule.distributions) {
    for (const auto* package : chain.packages(name)) {
      if (best == nullptr || (!site.empty() && package->site == site && best->site != site)) best = package;
    }
  }
  if (best != nullptr) {
    chain.chain.package = best->name;
    chain.chain.version = best->version;
  }
  return best;
}

namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view trim_left(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// `[(` or `, (`: the text ends where a pair of a list of pairs begins.
bool ends_with_pair(std::string_view before) {
  if (!before.ends_with('(')) return false;
  before = trim(before.substr(0, before.size() - 1));
  return before.ends_with('[') || before.ends_with(',');
}

// Where the value begins behind a key that ends before `rest`; nothing when this is no place where a value is given. A
// quoted key has one behind `:` (in braces) or behind `,` as the first of a pair; in a list of names (`__all__`) it has none.
std::optional<std::string_view> value_behind(std::string_view before, std::string_view rest) {
  const char quote = before.empty() ? '\n' : before.back();
  if (quote == '\'' || quote == '"') {
    if (rest.empty() || rest.front() != quote) return std::nullopt;
    rest = trim_left(rest.substr(1));
    before = trim(before.substr(0, before.size() - 1));
    const bool pair = !rest.empty() && rest.front() == ',' && ends_with_pair(before);
    if (rest.empty() || (rest.front() != ':' && !pair)) return std::nullopt;
    return trim_left(rest.substr(1));
  }
  if (is_name(quote) || quote == '.') return std::nullopt;
  rest = trim_left(rest);
  if (rest.starts_with(':')) {   // an annotation: `cuda: Optional[str] = '13.2'`
    const auto equals = rest.substr(0, rest.find('\n')).find('=');
    return equals == std::string_view::npos ? std::nullopt : std::optional(trim_left(rest.substr(equals + 1)));
  }
  if (!rest.starts_with('=') || rest.starts_with("==")) return std::nullopt;
  return trim_left(rest.substr(1));
}

}  // namespace

std::string python_constant(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const auto behind = text.substr(at + key.size());
    if (!behind.empty() && is_name(behind.front())) continue;
    const auto value = value_behind(text.substr(0, at), behind);
    if (!value || value->empty()) continue;
    if (value->front() == '\'' || value->front() == '"') {
      const auto end = value->find(value->front(), 1);
      return end == std::string_view::npos ? std::string() : std::string(value->substr(1, end - 1));
    }
    return std::string(trim(value->substr(0, value->find_first_of(",)\n}"))));
  }
  return {};
}

}  // namespace gpuway
