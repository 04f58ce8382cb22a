#pragma once

#include <vector>

#include "think/rules/chain_builder.h"

namespace gpuway {

/// One framework and how its chain is judged. `distributions` are the packages that bring it, the usual one first.
struct FrameworkRule {
  const char* framework;
  const char* module;                    // top-level import name
  std::vector<const char*> distributions;
  void (*judge_on_linux)(ChainBuilder& chain);    // fill everything but the closing
  void (*judge_on_windows)(ChainBuilder& chain);
  bool stands_on_others = false;         // its chain goes through another framework's of the same environment
};

void judge_tensorflow(ChainBuilder& chain);
void judge_pytorch(ChainBuilder& chain);
void judge_jax(ChainBuilder& chain);
void judge_onnxruntime(ChainBuilder& chain);
void judge_keras(ChainBuilder& chain);

/// Judges a chain as its machine's system has it.
void judge_framework(ChainBuilder& chain, const FrameworkRule& rule);

/// All of them, in output order.
const std::vector<FrameworkRule>& framework_rules();

/// The distribution of the rule whose files the winning import belongs to: the first installed one in the same folder of
/// the search path; nullptr when none is. Sets chain.package and chain.version.
const PythonPackage* own_distribution(ChainBuilder& chain, const FrameworkRule& rule);
const FrameworkRule& rule_of(const ChainBuilder& chain);

/// The value after `key` in a small Python file of constants: `'key', 'value'`, `"key": value` or `key = value`.
/// Text without quotes; empty when the key is not there.
std::string python_constant(std::string_view text, std::string_view key);

}  // namespace gpuway
