#pragma once

#include <string>
#include <vector>

#include "think/rules/chain_builder.h"

namespace gpuway {

/// The command line that installs `requirements` into the chain's environment with the tool that made it (pip, uv,
/// pixi), and puts pip in first where it is not there. An environment that pip may not change (PEP 668) is left alone:
/// there the command makes a virtual environment beside it and installs the framework and `requirements` into that.
std::string install_command(const ChainBuilder& chain, const std::vector<std::string>& requirements,
                            const std::vector<std::string>& options = {});
/// The command lines that take the distributions `gone` out of the environment and then install `requirements`; what
/// pip may not change is left alone as above.
std::vector<std::string> replace_commands(const ChainBuilder& chain, const std::vector<std::string>& gone,
                                          const std::vector<std::string>& requirements,
                                          const std::vector<std::string>& options = {});

/// The command lines that install other versions of what the environment has already. A folder that hides the environment's own (PYTHONPATH, the user's own folder) would go on winning and is taken off
/// the search path first.
std::vector<std::string> change_commands(const ChainBuilder& chain, const PythonPackage& installed,
                                         const std::vector<std::string>& requirements);

}  // namespace gpuway
