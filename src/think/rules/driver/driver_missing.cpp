#include "think/rules/driver/driver_missing.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/next_steps.h"
#include "think/rules/wsl/wsl_inside.h"

namespace gpuway {
namespace {

Finding& error_of(ChainBuilder& chain, LinkId link, std::string id, Effect effect,
                  Certainty certainty = Certainty::proven) {
  return chain.add(link, std::move(id), effect, Severity::error, certainty);
}

}  // namespace

bool add_no_gpu(ChainBuilder& chain, Effect effect, const GpuPresence& presence) {
  if (presence.state != GpuPresence::State::absent) return false;
  auto& finding = chain.add(LinkId::device, "no-nvidia-gpu", effect, Severity::note);
  set_args(finding, {{"framework", chain.chain.framework}, {"version", chain.chain.version}});
  finding.evidence.push_back(presence.evidence);
  set_next_step(finding, "look-for-gpu", {chain.snapshot().windows ? "Get-PnpDevice -Class Display" : "lspci -nn -d 10de:"});
  return true;
}

void add_driver_missing(ChainBuilder& chain, const LoadOutcome& outcome, Effect effect) {
  const auto& snapshot = chain.snapshot();
  const auto presence = nvidia_presence(snapshot);
  if (snapshot.system.kind == "wsl1") {
    auto& finding = error_of(chain, LinkId::driver_library, "wsl1-no-gpu", effect);
    finding.evidence.push_back({"file", "/proc/sys/kernel/osrelease", snapshot.system.kernel.value_or("")});
    set_next_step(finding, "convert-to-wsl2", {"wsl.exe --list --verbose"});
    return;
  }
  for (const auto& file : snapshot.driver.libcuda_files) {
    if (file_name(file) != "libcuda.so.1" || file.find("/stubs/") != std::string::npos ||
        file.find("/compat/") != std::string::npos) {
      continue;
    }
    auto& finding = error_of(chain, LinkId::driver_library, "libcuda-not-on-loader-path", effect);
    set_args(finding, {{"path", file}, {"folder", parent_path(file)}});
    add_evidence(finding, "file", file, "lies here, in a folder that is not searched");
    if (outcome.failure) finding.searched = outcome.failure->searched;
    const auto& configured = snapshot.loader_folders;
    const bool named = configured.is_known() && std::find(configured->begin(), configured->end(), parent_path(file)) != configured->end();
    if (named || in_wsl2(snapshot)) {
      set_next_step(finding, "rebuild-loader-cache", {"sudo ldconfig"});
    } else {
      set_next_step(finding, "extend-library-path",
                    {"export LD_LIBRARY_PATH=" + shell_word(parent_path(file)) +
                     "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
    }
    return;
  }
  if (in_wsl2(snapshot) && presence.state != GpuPresence::State::absent) {
    add_no_library_in_wsl(chain, effect);
    return;
  }
  if (presence.state == GpuPresence::State::absent) {
    add_no_gpu(chain, effect, presence);
    return;
  }
  if (!snapshot.live && presence.state == GpuPresence::State::undetermined) {
    // A container gets the driver's library from the machine it runs on: an image without it is as it should be.
    chain.undetermined(LinkId::driver_library, effect, "libcuda.so.1: not in this root, and the machine it will run on is not known");
    return;
  }
  const bool nodes = device_node(snapshot, "/dev/nvidiactl") != nullptr &&
                     !device_node(snapshot, "/dev/nvidiactl")->usable.is_absent();
  if (in_container(snapshot)) {
    const auto* capabilities = chain.variable("NVIDIA_DRIVER_CAPABILITIES");
    if (nodes && capabilities != nullptr && *capabilities != "all" &&
        capabilities->find("compute") == std::string::npos) {
      auto& finding = error_of(chain, LinkId::driver_library, "container-driver-capabilities-missing", effect);
      set_args(finding, {{"value", *capabilities}});
      add_evidence(finding, "variable", "NVIDIA_DRIVER_CAPABILITIES", *capabilities);
      set_next_step(finding, "restart-container", {"docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE"});
      return;
    }
    auto& finding = error_of(chain, LinkId::driver_library, "container-started-without-gpu", effect,
                             nodes ? Certainty::probable : Certainty::proven);
    set_args(finding, {{"container", snapshot.system.container.value_or("container")}});
    finding.evidence.push_back(presence.evidence);
    add_evidence(finding, "file", "/dev/nvidiactl", nodes ? "exists" : "does not exist");
    add_evidence(finding, "file", "libcuda.so.1", "not in the container");
    set_container_step(finding, snapshot.system.container.value_or(""));
    return;
  }
  auto& finding = error_of(chain, LinkId::driver_library, "driver-not-installed", effect,
                           presence.state == GpuPresence::State::present ? Certainty::proven : Certainty::probable);
  set_args(finding, {{"library", std::string("libcuda.so.1")}});
  finding.evidence.push_back(presence.evidence);
  add_evidence(finding, "file", "libcuda.so.1", "not found in any folder searched");
  if (outcome.failure) finding.searched = outcome.failure->searched;
  set_next_step(finding, "install-driver", {"ubuntu-drivers devices", "lspci -nnk -d 10de:"});
}

}  // namespace gpuway
