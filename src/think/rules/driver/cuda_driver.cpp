#include "think/rules/driver/cuda_driver.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/rules/driver/driver_support.h"
#include "think/rules/driver/driver_missing.h"
#include "think/rules/gpu/gpu_presence.h"
#include "think/rules/next_steps.h"

namespace gpuway {
namespace {

// Numbers of cuda.h (CUDA 13.0).
constexpr int kNoDevice = 100;
constexpr int kStubLibrary = 34;
constexpr int kSystemNotReady = 802;
constexpr int kSystemDriverMismatch = 803;
constexpr int kCompatNotSupported = 804;
constexpr int kUnknown = 999;
constexpr int kNamedSymbolNotFound = 500;

const char* cuda_code_name(int code) {
  switch (code) {
    case 1: return "CUDA_ERROR_INVALID_VALUE";
    case 2: return "CUDA_ERROR_OUT_OF_MEMORY";
    case 3: return "CUDA_ERROR_NOT_INITIALIZED";
    case kStubLibrary: return "CUDA_ERROR_STUB_LIBRARY";
    case 46: return "CUDA_ERROR_DEVICE_UNAVAILABLE";
    case kNoDevice: return "CUDA_ERROR_NO_DEVICE";
    case 101: return "CUDA_ERROR_INVALID_DEVICE";
    case 201: return "CUDA_ERROR_INVALID_CONTEXT";
    case 304: return "CUDA_ERROR_OPERATING_SYSTEM";
    case kNamedSymbolNotFound: return "CUDA_ERROR_NOT_FOUND";
    case kSystemNotReady: return "CUDA_ERROR_SYSTEM_NOT_READY";
    case kSystemDriverMismatch: return "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
    case kCompatNotSupported: return "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE";
    case kUnknown: return "CUDA_ERROR_UNKNOWN";
    default: return "";
  }
}

// libcuda.so.550.54.14 -> 550.54.14; empty when the file's name has no version.
std::string version_in_name(std::string_view real_path) {
  constexpr std::string_view prefix = "libcuda.so.";
  const auto name = file_name(real_path);
  if (!name.starts_with(prefix)) return {};
  const auto version = name.substr(prefix.size());
  return version.find('.') == std::string_view::npos ? std::string() : std::string(version);
}

const std::string& real_path_of(const Snapshot& snapshot, const std::string& path) {
  const auto found = snapshot.binaries.find(path);
  return found != snapshot.binaries.end() && !found->second.real_path.empty() ? found->second.real_path : path;
}

Finding& error_of(ChainBuilder& chain, LinkId link, std::string id, Effect effect,
                  Certainty certainty = Certainty::proven) {
  return chain.add(link, std::move(id), effect, Severity::error, certainty);
}

// cuInit says that there is no device although the bus shows a GPU: which part of the kernel side is not there?
bool add_kernel_side(ChainBuilder& chain, Effect effect, const GpuPresence& presence) {
  const auto& snapshot = chain.snapshot();
  const auto& driver = snapshot.driver;
  if (presence.adapter != nullptr) {
    const auto& name = presence.adapter->driver;
    if (!name.empty() && name != "nvidia") {
      auto& finding = error_of(chain, LinkId::driver_version, "other-driver-owns-gpu", effect);
      set_args(finding, {{"driver", name}, {"address", presence.adapter->address}});
      add_evidence(finding, "file", "/sys/bus/pci/devices/" + presence.adapter->address + "/driver", name);
      set_next_step(finding, "bind-nvidia-driver", {"lspci -nnk -d 10de:"});
      return true;
    }
  }
  if (!in_wsl2(snapshot) && !driver.module_version.is_known() && driver.module_version.is_absent() &&
      !in_container(snapshot)) {
    const bool secure = snapshot.system.secure_boot.value_or(false);
    if (driver.module_file_for_kernel.is_known() && *driver.module_file_for_kernel) {
      auto& finding = error_of(chain, LinkId::driver_version,
                               secure ? "secure-boot-unsigned-module" : "nvidia-kernel-module-not-loaded", effect,
                               secure ? Certainty::probable : Certainty::proven);
      add_evidence(finding, "file", "/proc/driver/nvidia/version", "does not exist");
      if (secure) add_evidence(finding, "file", "/sys/firmware/efi/efivars/SecureBoot-*", "on");
      set_next_step(finding, secure ? "sign-kernel-module" : "load-kernel-module", {"sudo modprobe nvidia", "sudo dmesg | grep -i nvidia | tail"});
      return true;
    }
    if (driver.module_file_for_kernel.is_known() || driver.module_file_for_kernel.is_absent()) {
      auto& finding = error_of(chain, LinkId::driver_version, "kernel-module-not-built", effect);
      set_args(finding, {{"kernel", snapshot.system.kernel.value_or("")}});
      add_evidence(finding, "folder", "/lib/modules/" + snapshot.system.kernel.value_or(""), "no nvidia.ko");
      set_next_step(finding, "build-kernel-module", {"dkms status", "uname -r"});
      return true;
    }
  }
  return false;
}

bool add_node_fault(ChainBuilder& chain, Effect effect) {
  const auto& snapshot = chain.snapshot();
  if (in_wsl2(snapshot)) return false;
  for (const auto& node : snapshot.driver.nodes) {
    if (!node.path.starts_with("/dev/nvidia")) continue;
    if (node.usable.is_known() && !*node.usable) {
      auto& finding = error_of(chain, LinkId::device, "device-node-permissions", effect);
      set_args(finding, {{"path", node.path}, {"detail", node.detail}});
      add_evidence(finding, "file", node.path, node.detail);
      set_next_step(finding, "allow-device-node", {"ls -l " + node.path, "id"});
      return true;
    }
  }
  for (const auto* path : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0"}) {
    const auto* node = device_node(snapshot, path);
    if (node == nullptr || !node->usable.is_absent()) continue;
    auto& finding = error_of(chain, LinkId::device, "device-node-missing", effect);
    set_args(finding, {{"path", std::string(path)}});
    add_evidence(finding, "file", path, "does not exist");
    set_node_step(snapshot, finding);
    return true;
  }
  return false;
}

// cuInit or cuDeviceGetCount says no, and nothing else tells why.
void add_failed_call(ChainBuilder& chain, const DriverReport& report, const std::string& path, Effect effect) {
  auto& finding = error_of(chain, LinkId::device, "driver-call-failed", effect);
  const int code = report.init_code.value_or(0) != 0 ? *report.init_code : kNoDevice;
  set_args(finding, {{"code", std::int64_t{code}}, {"name", std::string(cuda_code_name(code))}, {"path", path}});
  const bool fails = report.init_code.value_or(0) != 0;
  add_evidence(finding, "library-call", path + ": cuInit",
               fails ? std::to_string(code) + " " + cuda_code_name(code) : std::to_string(report.init_code.value_or(0)));
  if (!fails) add_evidence(finding, "library-call", path + ": cuDeviceGetCount", std::to_string(report.device_count.value_or(0)));
  set_next_step(finding, "ask-nvidia-smi", {"nvidia-smi"});
}

void add_no_device(ChainBuilder& chain, const DriverReport& report, const std::string& path, Effect effect) {
  const auto& snapshot = chain.snapshot();
  const auto* mask = chain.variable("CUDA_VISIBLE_DEVICES");
  if (mask != nullptr && report.device_count_unmasked.value_or(0) > 0) {
    const bool slurm = chain.variable("SLURM_JOB_ID") != nullptr && (mask->empty() || *mask == "NoDevFiles");
    auto& finding = error_of(chain, LinkId::device, slurm ? "no-gpu-allocated" : "cuda-visible-devices-hides-gpu", effect);
    set_args(finding, {{"value", *mask}});
    add_evidence(finding, "variable", "CUDA_VISIBLE_DEVICES", *mask);
    add_evidence(finding, "library-call", path + ": cuDeviceGetCount",
                 std::to_string(*report.device_count_unmasked) + " without the variable, 0 with it");
    if (slurm) {   // without the variable the job would take another job's GPU
      set_next_step(finding, "request-gpu", {"scontrol show job \"$SLURM_JOB_ID\""});
    } else {
      set_next_step(finding, "unset-variable", {unset_command(snapshot, "CUDA_VISIBLE_DEVICES")});
    }
    return;
  }
  const auto presence = nvidia_presence(snapshot);
  if (report.nvml && !report.nvml->mig_modes.empty()) {
    const auto& nvml = *report.nvml;
    for (std::size_t i = 0; i < nvml.mig_modes.size(); ++i) {
      const bool empty = i >= nvml.mig_instances.size() || nvml.mig_instances[i] == 0;
      if (nvml.mig_modes[i] != 1 || !empty) continue;
      auto& finding = error_of(chain, LinkId::device, "mig-without-instance", effect);
      add_evidence(finding, "library-call", nvml.path + ": nvmlDeviceGetMigMode", "on, no instance");
      set_next_step(finding, "create-mig-instance", {"nvidia-smi mig -lgip", "sudo nvidia-smi mig -cgi 0 -C"});
      return;
    }
  }
  if (add_no_gpu(chain, effect, presence)) return;
  if (snapshot.windows) return add_failed_call(chain, report, path, effect);
  if (add_kernel_side(chain, effect, presence)) return;
  if (judge_driver_support(chain, presence, effect)) return;
  if (add_node_fault(chain, effect)) return;
  add_failed_call(chain, report, path, effect);
}

void add_version_mismatch(ChainBuilder& chain, const DriverReport& report, const std::string& path, Effect effect) {
  const auto& snapshot = chain.snapshot();
  const auto& real = real_path_of(snapshot, path);
  const auto library = version_in_name(real);
  const auto module = snapshot.driver.module_version.value_or("");
  const bool compat = real.find("/compat/") != std::string::npos;
  std::string id = in_container(snapshot) ? "container-bundles-driver-libs" : "driver-library-version-mismatch";
  if (compat || report.init_code == kCompatNotSupported) id = "cuda-forward-compat-unsupported";
  auto& finding = error_of(chain, id == "cuda-forward-compat-unsupported" ? LinkId::driver_library : LinkId::driver_version,
                           id, effect);
  set_args(finding, {{"path", real}, {"library", library}, {"module", module}});
  add_evidence(finding, "library-call", path + ": cuInit",
               std::to_string(*report.init_code) + " " + cuda_code_name(*report.init_code));
  add_evidence(finding, "file", real, library.empty() ? "driver library" : "version " + library);
  if (!module.empty()) add_evidence(finding, "file", "/proc/driver/nvidia/version", module);
  set_next_step(finding, "restart-after-driver-update", {"sudo reboot"});
  if (id != "driver-library-version-mismatch") set_next_step(finding, "remove-bundled-driver", {"ls -l " + shell_word(real)});
}

// A Linux driver inside a WSL distribution finds no device: the GPU is behind Windows' own libcuda.
bool add_linux_driver_in_wsl(ChainBuilder& chain, const DriverReport& report, const std::string& path, Effect effect) {
  const auto& snapshot = chain.snapshot();
  const auto& real = real_path_of(snapshot, path);
  const auto& files = snapshot.driver.libcuda_files;
  const std::string own = "/usr/lib/wsl/lib/libcuda.so.1";
  if (!in_wsl2(snapshot) || in_container(snapshot) || is_below(real, "/usr/lib/wsl") ||
      std::find(files.begin(), files.end(), own) == files.end()) {
    return false;
  }
  auto& finding = error_of(chain, LinkId::driver_library, "wsl-linux-driver-installed", effect);
  set_args(finding, {{"path", path}});
  add_evidence(finding, "library-call", path + ": cuInit", std::to_string(*report.init_code) + " " + cuda_code_name(*report.init_code));
  add_evidence(finding, "file", own, "exists, and is not the one that is loaded");
  const bool debian = snapshot.system.distribution.value_or("") == "debian" || snapshot.system.distribution.value_or("") == "ubuntu";
  set_next_step(finding, "remove-linux-driver", {(debian ? "dpkg -S " : "rpm -qf ") + shell_word(real)});
  return true;
}

void add_init_failure(ChainBuilder& chain, const DriverReport& report, const std::string& path, Effect effect) {
  const int code = *report.init_code;
  const auto& snapshot = chain.snapshot();
  if (code == kNoDevice && report.device_count_unmasked.value_or(0) == 0 && add_linux_driver_in_wsl(chain, report, path, effect)) return;
  if (code == kNoDevice) return add_no_device(chain, report, path, effect);
  if (snapshot.windows) return add_failed_call(chain, report, path, effect);
  if (code == kStubLibrary) {
    auto& finding = error_of(chain, LinkId::driver_library, "cuda-stub-library", effect);
    set_args(finding, {{"path", path}});
    add_evidence(finding, "library-call", path + ": cuInit", "34 CUDA_ERROR_STUB_LIBRARY");
    set_next_step(finding, "remove-stub-folder", {"echo \"$LD_LIBRARY_PATH\" | tr : '\\n' | grep stubs"});
    return;
  }
  if (code == kSystemDriverMismatch || code == kCompatNotSupported) return add_version_mismatch(chain, report, path, effect);
  if (code == kSystemNotReady) {
    auto& finding = error_of(chain, LinkId::device, "fabric-manager-not-running", effect, Certainty::probable);
    add_evidence(finding, "library-call", path + ": cuInit", "802 CUDA_ERROR_SYSTEM_NOT_READY");
    set_next_step(finding, "start-fabric-manager", {"systemctl status nvidia-fabricmanager"});
    return;
  }
  if (code == kNamedSymbolNotFound && in_container(snapshot) && in_wsl2(snapshot)) {
    auto& finding = error_of(chain, LinkId::driver_library, "wsl-container-toolkit-too-old", effect, Certainty::probable);
    add_evidence(finding, "library-call", path + ": cuInit", "500 CUDA_ERROR_NOT_FOUND");
    set_next_step(finding, "update-container-toolkit", {"nvidia-ctk --version"});
    return;
  }
  if (code == kUnknown) {
    const auto* uvm = device_node(snapshot, "/dev/nvidia-uvm");
    if (!in_wsl2(snapshot) && uvm != nullptr && !uvm->usable.is_known() && uvm->usable.is_absent() &&
        nvidia_presence(snapshot).pci_count > 0) {
      add_node_fault(chain, effect);
      return;
    }
    auto& finding = error_of(chain, LinkId::device, "cuda-init-unknown-error", effect);
    set_args(finding, {{"code", std::int64_t{code}}, {"path", path}});
    add_evidence(finding, "library-call", path + ": cuInit", "999 CUDA_ERROR_UNKNOWN");
    set_next_step(finding, "reload-uvm", {"sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm"});
    return;
  }
  add_failed_call(chain, report, path, effect);
}

}  // namespace

DriverAnswer judge_cuda_driver(ChainBuilder& chain, PythonProcess& process, int caller, Effect effect,
                               std::optional<Effect> without_library) {
  DriverAnswer answer;
  const auto outcome = process.loader().open({.name = "libcuda.so.1", .caller = caller, .check_symbols = true});
  if (outcome.state == LoadOutcome::State::undetermined) {
    chain.undetermined(LinkId::driver_library, effect, "libcuda.so.1: " + outcome.reason);
    return answer;
  }
  if (outcome.state != LoadOutcome::State::loaded) {
    answer.settled = true;
    effect = without_library.value_or(effect);
    const auto& failure = *outcome.failure;
    if (failure.kind == LoadFailure::Kind::not_found && failure.library == "libcuda.so.1") {
      chain.missing("libcuda.so.1", failure.asked_by, false, effect);
      add_driver_missing(chain, outcome, effect);
      return answer;
    }
    const bool dies = outcome.state == LoadOutcome::State::process_dies;
    const auto real_effect = dies ? Effect::process_dies : effect;
    chain.missing(failure.library, failure.asked_by, failure.needed, real_effect);
    auto& finding = error_of(chain, LinkId::driver_library, "library-truncated-or-damaged", real_effect);
    set_args(finding, {{"framework", chain.chain.framework},
                       {"path", failure.path.empty() ? failure.library : failure.path},
                       {"fault", std::string("cannot be loaded")}});
    add_evidence(finding, "file", failure.path.empty() ? failure.library : failure.path, "cannot be loaded");
    finding.searched = failure.searched;
    set_next_step(finding, "reinstall-driver", {"ls -l " + shell_word(failure.path)});
    return answer;
  }
  return judge_driver_library(chain, process.loader().objects()[static_cast<std::size_t>(outcome.object)].path, "libnvidia-ml.so.1", effect);
}

DriverAnswer judge_driver_library(ChainBuilder& chain, const std::string& path, const std::string& nvml, Effect effect) {
  DriverAnswer answer;
  answer.path = path;
  const auto& snapshot = chain.snapshot();
  if (!snapshot.live) {
    chain.undetermined(LinkId::device, effect, "the driver cannot be asked from outside this machine");
    answer.settled = true;
    return answer;
  }
  const auto found = snapshot.driver.reports.find(answer.path);
  if (found == snapshot.driver.reports.end()) {
    chain.wants().driver_reports.emplace(answer.path, Wants::DriverQuestion{answer.path, nvml});
    chain.undetermined(LinkId::device, effect, "the driver was not asked");
    return answer;
  }
  const auto& report = found->second;
  answer.report = &report;
  answer.settled = true;
  using Outcome = DriverReport::Outcome;
  if (report.outcome == Outcome::not_asked || report.outcome == Outcome::failed) {
    chain.undetermined(LinkId::device, effect, "the driver could not be asked: " + report.detail);
    return answer;
  }
  if (report.outcome == Outcome::timed_out || report.outcome == Outcome::crashed) {
    const bool hangs = report.outcome == Outcome::timed_out;
    // Only a fault in the CUDA calls is the framework's fault too; NVML comes last in the child.
    if (!report.last_step.starts_with("nvml")) {
      auto& finding = error_of(chain, LinkId::device, hangs ? "driver-hangs" : "driver-crashes",
                               hangs ? effect : Effect::process_dies);
      set_args(finding, {{"step", report.last_step}, {"signal", report.detail}, {"path", answer.path}});
      add_evidence(finding, "library-call", answer.path + ": " + report.last_step, hangs ? "no answer" : report.detail);
      set_next_step(finding, "restart-after-driver-fault", {"sudo dmesg | grep -iE 'nvrm|xid' | tail"});
      return answer;
    }
  }
  if (!report.loaded) {
    chain.undetermined(LinkId::driver_library, effect, answer.path + ": " + report.load_error);
    return answer;
  }
  if (!report.init_code) {
    chain.undetermined(LinkId::device, effect, "cuInit was not reached");
  } else if (*report.init_code != 0) {
    add_init_failure(chain, report, answer.path, effect);
  } else if (report.device_count.value_or(0) == 0) {
    add_no_device(chain, report, answer.path, effect);
  } else {
    chain.chain.device_count = report.device_count;
    for (const auto& device : report.devices) {
      if (device.compute_mode != 2) continue;   // CU_COMPUTEMODE_PROHIBITED
      auto& finding = error_of(chain, LinkId::device, "gpu-in-exclusive-mode", Effect::no_compute);
      set_args(finding, {{"device", device.name}});
      add_evidence(finding, "library-call", answer.path + ": cuDeviceGetAttribute(compute mode)", "2 (prohibited)");
      set_next_step(finding, "allow-compute", {"sudo nvidia-smi -c 0"});
    }
  }
  return answer;
}

void judge_nvml(ChainBuilder& chain, PythonProcess& process, int caller, const DriverAnswer& driver, Effect effect) {
  const auto outcome = process.loader().open({.name = "libnvidia-ml.so.1", .caller = caller});
  if (outcome.state == LoadOutcome::State::undetermined) {
    chain.undetermined(LinkId::driver_library, effect, "libnvidia-ml.so.1: " + outcome.reason);
    return;
  }
  const bool driver_usable = driver.report != nullptr && driver.report->device_count.value_or(0) > 0;
  const auto add = [&](const std::string& code, const std::string& what, Effect real_effect) -> Finding& {
    auto& finding = chain.add(LinkId::driver_library, "nvml-unusable", real_effect, Severity::error);
    set_args(finding, {{"framework", chain.chain.framework}, {"code", code}, {"path", std::string("libnvidia-ml.so.1")}});
    add_evidence(finding, "file", "libnvidia-ml.so.1", what);
    set_next_step(finding, "repair-driver-installation", {"nvidia-smi"});
    return finding;
  };
  if (outcome.state != LoadOutcome::State::loaded) {
    const bool dies = outcome.state == LoadOutcome::State::process_dies;
    chain.missing(outcome.failure->library, outcome.failure->asked_by, outcome.failure->needed,
                  dies ? Effect::process_dies : effect);
    // Without a usable driver the driver's own finding is the cause; NVML comes from the same package.
    if (!driver_usable && !dies) return;
    auto& finding = add("", "cannot be loaded", dies ? Effect::process_dies : effect);
    finding.searched = outcome.failure->searched;
    return;
  }
  if (driver.report == nullptr || !driver.report->nvml) {
    if (driver_usable) chain.undetermined(LinkId::driver_library, effect, "NVML was not asked");
    return;
  }
  const auto& nvml = *driver.report->nvml;
  const auto path = process.loader().objects()[static_cast<std::size_t>(outcome.object)].path;
  if (nvml.init_code.value_or(0) != 0 && driver_usable) {
    auto& finding = add(std::to_string(*nvml.init_code), "nvmlInit_v2: " + std::to_string(*nvml.init_code), effect);
    finding.args["path"] = path;
  } else if (!nvml.missing_symbols.empty() && driver_usable) {
    auto& finding = add("", "lacks " + join(nvml.missing_symbols, ", "), effect);
    finding.args["path"] = path;
  } else if (!nvml.init_code && driver_usable) {
    chain.undetermined(LinkId::driver_library, effect, "nvmlInit_v2 was not reached");
  }
}

void judge_driver_version(ChainBuilder& chain, const DriverAnswer& driver, CudaVersion runtime, Effect effect) {
  if (driver.report == nullptr || runtime.major == 0) return;
  if (!driver.report->driver_version) return;
  const auto have = CudaVersion::of_number(*driver.report->driver_version);
  // CUDA 10 and older have no minor-version compatibility: the driver must know the very release.
  const bool enough = runtime.major >= 11 ? have.major >= runtime.major
                                          : have.major > runtime.major ||
                                                (have.major == runtime.major && have.minor >= runtime.minor);
  if (enough) return;
  auto& finding = chain.add(LinkId::driver_version, "driver-too-old", effect, Severity::error);
  const auto needs = runtime.major >= 11 ? std::to_string(runtime.major) + ".0" : runtime.text();
  set_args(finding, {{"have", have.text()},
                     {"cuda", runtime.text()},
                     {"needs", needs},
                     {"driver", driver.report->nvml ? driver.report->nvml->driver_version.value_or("") : ""}});
  add_evidence(finding, "library-call", driver.path + ": cuDriverGetVersion", std::to_string(*driver.report->driver_version));
  set_next_step(finding, "update-driver", {"nvidia-smi --query-gpu=driver_version --format=csv"});
}

}  // namespace gpuway
