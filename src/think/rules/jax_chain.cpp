#include "think/rules/framework_chains.h"
#include "think/rules/python_links.h"

namespace gpuway {

void judge_jax(ChainBuilder& chain) {
  const auto& rule = rule_of(chain);
  own_distribution(chain, rule);
  judge_python_links(chain, rule);
}

}  // namespace gpuway
