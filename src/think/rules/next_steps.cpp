#include "think/rules/next_steps.h"

#include <algorithm>

#include "base/path.h"
#include "think/rules/gpu/gpu_presence.h"

namespace gpuway {
std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:@%+,";
  const bool windows = is_windows_path(text);
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return shown_path(text);
  std::string quoted = "'";
  for (const char c : shown_path(text)) {
    if (c == '\'') {
      quoted += windows ? "''" : "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string unset_command(const Snapshot& snapshot, const std::string& name) {
  return (snapshot.windows ? "Remove-Item Env:" : "unset ") + name;
}

std::string set_command(const Snapshot& snapshot, const std::string& name, const std::string& value) {
  return snapshot.windows ? "$env:" + name + " = '" + value + "'" : "export " + name + "=" + shell_word(value);
}

std::string cudnn_distribution(const ChainBuilder& chain) {
  const std::string prefix = "nvidia-cudnn-cu";
  for (const auto& package : chain.environment().packages) {
    if (package.name.starts_with(prefix)) return package.name;
  }
  return prefix + std::to_string(chain.cuda_major > 0 ? chain.cuda_major : 12);
}

// How a container gets its GPU is the engine's business (their own documentation, 2026-12).
void set_container_step(Finding& finding, const std::string& engine) {
  if (engine == "kubernetes") {
    set_next_step(finding, "request-gpu-for-pod",
                  {"kubectl get nodes -o custom-columns='NODE:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu'"});
  } else if (engine == "podman") {
    set_next_step(finding, "restart-container", {"podman run --device nvidia.com/gpu=all IMAGE"});
  } else if (engine == "singularity") {
    set_next_step(finding, "restart-container", {"apptainer exec --nv IMAGE COMMAND"});
  } else if (engine == "lxc") {
    set_next_step(finding, "restart-container", {"lxc config device add CONTAINER gpu gpu"});
  } else {
    set_next_step(finding, "restart-container", {"docker run --gpus all IMAGE"});
  }
}

void set_node_step(const Snapshot& snapshot, Finding& finding) {
  if (in_container(snapshot)) {   // nodes made inside would still be refused by the container's device rules
    set_container_step(finding, snapshot.system.container.value_or(""));
  } else {
    set_next_step(finding, "create-device-nodes", {"sudo nvidia-modprobe -c 0 -u"});
  }
}

}  // namespace gpuway
