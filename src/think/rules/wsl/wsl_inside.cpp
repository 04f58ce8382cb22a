#include "think/rules/wsl/wsl_inside.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <optional>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

constexpr const char* kFolder = "/usr/lib/wsl/lib";
constexpr const char* kLibrary = "/usr/lib/wsl/lib/libcuda.so.1";

struct KernelVersion {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const KernelVersion&) const = default;
};
// learn.microsoft.com/windows/ai/directml/gpu-cuda-in-wsl: 5.10.43.3 or higher, on Windows 11 or Windows 10 21H2.
constexpr KernelVersion kFirstKernelWithGpu{5, 10, 43};

// "5.10.16.3-microsoft-standard-WSL2"
std::optional<KernelVersion> parse_kernel(std::string_view release) {
  int numbers[3] = {};
  const auto* at = release.data();
  const auto* end = at + release.size();
  for (int& number : numbers) {
    const auto [next, fault] = std::from_chars(at, end, number);
    if (fault != std::errc()) return std::nullopt;
    at = next < end ? next + 1 : next;
  }
  return KernelVersion{numbers[0], numbers[1], numbers[2]};
}

struct Setting {
  const WslConfig* config = nullptr;
  const WslSetting* line = nullptr;
};

Setting switched(const Fact<WslConfig>& config, std::string_view key, bool value) {
  if (!config.is_known()) return {};
  const auto* line = config->find(key);
  if (line == nullptr || config->flag(key, !value) != value) return {};
  return {&*config, line};
}

// Files count from the next start on. A device that is there says that .wslconfig was changed since; /etc/wsl.conf takes
// away the libraries only, and these are known to be missing.
Setting setting_in_force(const Snapshot& snapshot) {
  if (!snapshot.around) return {};
  const auto& around = *snapshot.around;
  const auto* dxg = device_node(snapshot, "/dev/dxg");
  if (dxg == nullptr || dxg->usable.is_absent()) {
    for (const auto& found : {switched(around.config, "wsl2.gpuSupport", false), switched(around.config, "wsl2.safeMode", true)}) {
      if (found.line != nullptr) return found;
    }
  }
  return switched(around.distribution_config, "gpu.enabled", false);
}

bool has_dxg(const Snapshot& snapshot) {
  const auto* dxg = device_node(snapshot, "/dev/dxg");
  return dxg != nullptr && !dxg->usable.is_absent();
}

void add_node_and_library(const Snapshot& snapshot, Finding& finding) {
  add_evidence(finding, "file", kLibrary, "does not exist");
  add_evidence(finding, "file", "/dev/dxg", has_dxg(snapshot) ? "exists" : "does not exist");
}

// As long as nothing shows Windows' driver packages, nothing tells whether there is a GPU: no error then.
Severity severity_of(const Snapshot& snapshot) { return snapshot.driver.windows_packages.is_known() ? Severity::error : Severity::warning; }

bool add_gpu_switched_off(ChainBuilder& chain, Effect effect) {
  const auto& snapshot = chain.snapshot();
  const auto found = setting_in_force(snapshot);
  if (found.line == nullptr) return false;
  auto& finding = chain.add(LinkId::driver_library, "wsl-gpu-switched-off", effect, severity_of(snapshot), Certainty::proven);
  set_args(finding, {{"setting", found.line->key + "=" + found.line->value}, {"path", found.config->path}});
  add_evidence(finding, "file", found.config->path + ":" + std::to_string(found.line->line), found.line->key + "=" + found.line->value);
  add_evidence(finding, "file", kLibrary, "does not exist");
  set_next_step(finding, "switch-on-wsl-gpu", {"wsl.exe --shutdown"});
  return true;
}

// The device comes from a driver in the kernel (dxgkrnl), which Microsoft's own kernel has.
bool add_kernel_without_gpu(ChainBuilder& chain, Effect effect) {
  const auto& snapshot = chain.snapshot();
  if (has_dxg(snapshot)) return false;
  const auto* kernel = snapshot.around && snapshot.around->config.is_known() ? snapshot.around->config->find("wsl2.kernel") : nullptr;
  const auto release = snapshot.system.kernel.value_or("");
  if (kernel != nullptr) {
    auto& finding = chain.add(LinkId::driver_library, "wsl-custom-kernel", effect, severity_of(snapshot), Certainty::probable);
    const auto& path = snapshot.around->config->path;
    set_args(finding, {{"path", path}, {"kernel", kernel->value}});
    add_evidence(finding, "file", path + ":" + std::to_string(kernel->line), kernel->key + "=" + kernel->value);
    add_evidence(finding, "file", "/proc/sys/kernel/osrelease", release);
    add_node_and_library(snapshot, finding);
    set_next_step(finding, "use-wsl-kernel", {"wsl.exe --shutdown"});
    return true;
  }
  const auto version = parse_kernel(release);
  if (!version || *version >= kFirstKernelWithGpu) return false;
  auto& finding = chain.add(LinkId::driver_library, "windows-build-too-old-for-wsl-gpu", effect, severity_of(snapshot), Certainty::probable);
  set_args(finding, {{"kernel", release}});
  add_evidence(finding, "file", "/proc/sys/kernel/osrelease", release);
  add_node_and_library(snapshot, finding);
  set_next_step(finding, "update-wsl", {"wsl.exe --update"});
  return true;
}

// Windows mounts what its graphics driver has put into System32/lxss/lib beside WSL's own libraries. With these there and
// the driver's missing, the mount works and the driver has brought nothing.
bool add_driver_without_libraries(ChainBuilder& chain, Effect effect) {
  const auto& snapshot = chain.snapshot();
  const auto& packages = snapshot.driver.windows_packages;
  if (!has_dxg(snapshot) || !packages.is_known() || packages->empty()) return false;
  const auto folder = snapshot.folders.find(kFolder);
  if (folder == snapshot.folders.end()) {
    chain.wants().folders.emplace(kFolder, true);
    return false;
  }
  const auto& names = folder->second.names;
  if (std::find(names.begin(), names.end(), "libdxcore.so") == names.end()) return false;
  auto& finding = chain.add(LinkId::driver_library, "wsl-windows-driver-too-old", effect, Severity::error, Certainty::probable);
  add_evidence(finding, "folder", "/usr/lib/wsl/drivers", join(*packages, ", "));
  add_evidence(finding, "file", join_path(kFolder, "libdxcore.so"), "exists");
  add_node_and_library(snapshot, finding);
  set_next_step(finding, "update-windows-driver", {"nvidia-smi.exe --query-gpu=driver_version --format=csv"});
  return true;
}

}  // namespace

void add_no_library_in_wsl(ChainBuilder& chain, Effect effect) {
  if (add_gpu_switched_off(chain, effect) || add_kernel_without_gpu(chain, effect) || add_driver_without_libraries(chain, effect)) return;
  const auto& snapshot = chain.snapshot();
  const auto& packages = snapshot.driver.windows_packages;
  auto& finding = chain.add(LinkId::driver_library, "wsl-gpu-mount-broken", effect, severity_of(snapshot), Certainty::probable);
  if (packages.is_known()) add_evidence(finding, "folder", "/usr/lib/wsl/drivers", join(*packages, ", "));
  add_node_and_library(snapshot, finding);
  set_next_step(finding, "restart-wsl", {"wsl.exe --shutdown"});
}

}  // namespace gpuway
