#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "think/rules/chain_builder.h"

namespace gpuway {

/// The framework does not take what a variable says: it raises or ends, as `effect` says.
void reject_variable(ChainBuilder& chain, LinkId link, Effect effect, const std::string& name,
                     const std::string& value);

/// The variable asks for another device than the GPU.
void note_cpu_chosen(ChainBuilder& chain, const std::string& name, const std::string& value);

/// XLA ends the process at the first flag of the variable that it does not know, and when a file that it names is not
/// there. A flag is known when its name stands in one of `files`, the libraries that hold XLA: the table of flags is
/// theirs, and a name is handed to a function outside the table, so that it stands there whole.
void judge_xla_flags(ChainBuilder& chain, const std::string& variable, const std::vector<std::string>& files);

}  // namespace gpuway
