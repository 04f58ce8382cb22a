#pragma once

#include <string>
#include <vector>

#include "think/rules/chain_builder.h"

namespace gpuway {

/// Text quoted for a shell when it needs it: a POSIX shell, or PowerShell for what is a path of Windows (told as Windows
/// writes it).
std::string shell_word(const std::string& text);
/// The command that takes a variable out of the shell's environment.
std::string unset_command(const Snapshot& snapshot, const std::string& name);
/// The command that sets a variable in the shell's environment.
std::string set_command(const Snapshot& snapshot, const std::string& name, const std::string& value);
/// The distribution that brings cuDNN for the environment's CUDA: the one that is installed, else the one for the CUDA that the
/// framework was built for (12 when that is not known).
std::string cudnn_distribution(const ChainBuilder& chain);
/// How a container of this engine is started with its GPU.
void set_container_step(Finding& finding, const std::string& engine);

/// What gives a process its device nodes: in a container its engine does, elsewhere NVIDIA's own tool.
void set_node_step(const Snapshot& snapshot, Finding& finding);

}  // namespace gpuway
