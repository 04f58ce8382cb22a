#include "think/rules/framework_chains.h"

#include "base/path.h"
#include "base/text.h"

namespace gpuway {

const std::vector<FrameworkRule>& framework_rules() {
  static const std::vector<FrameworkRule> rules = {
      {"tensorflow",
       "tensorflow",
       {"tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel", "tensorflow-rocm", "tf-nightly",
        "tf-nightly-gpu", "tf-nightly-cpu", "intel-tensorflow", "tensorflow-directml", "tensorflow-cpu-aws",
        "tensorflow-aarch64", "tensorflow-macos"},
       &judge_tensorflow},
      {"pytorch", "torch", {"torch", "pytorch"}, &judge_pytorch},
      {"jax", "jax", {"jax"}, &judge_jax},
      {"onnxruntime",
       "onnxruntime",
       {"onnxruntime-gpu", "onnxruntime", "onnxruntime-directml", "onnxruntime-openvino", "onnxruntime-rocm",
        "onnxruntime-migraphx", "onnxruntime-training", "ort-nightly-gpu", "ort-nightly"},
       &judge_onnxruntime},
      {"keras", "keras", {"keras", "keras-nightly"}, &judge_keras, true},
  };
  return rules;
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

std::string python_constant(std::string_view text, std::string_view key) {
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && is_name(text[at - 1])) continue;
    auto rest = text.substr(at + key.size());
    if (!rest.empty() && is_name(rest.front())) continue;
    // Behind the name: a closing quote, blanks, an annotation (`: Optional[str]`), then `,`, `:` or `=`.
    std::size_t skip = rest.find_first_not_of("'\" ");
    if (skip == std::string_view::npos) continue;
    rest.remove_prefix(skip);
    if (rest.front() == ':') {
      const auto line = rest.substr(0, rest.find('\n'));
      const auto equals = line.find('=');
      rest.remove_prefix(equals == std::string_view::npos ? 1 : equals + 1);
    } else if (rest.front() == '=' || rest.front() == ',') {
      rest.remove_prefix(1);
    } else {
      continue;
    }
    skip = rest.find_first_not_of(' ');
    if (skip == std::string_view::npos) return {};
    rest.remove_prefix(skip);
    if (rest.front() == '\'' || rest.front() == '"') {
      const auto end = rest.find(rest.front(), 1);
      return end == std::string_view::npos ? std::string() : std::string(rest.substr(1, end - 1));
    }
    return std::string(trim(rest.substr(0, rest.find_first_of(",)\n}"))));
  }
  return {};
}

}  // namespace gpuway
