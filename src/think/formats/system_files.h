#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// os-release(5): KEY=value lines, quotes and backslashes removed; comments and other lines dropped.
std::map<std::string, std::string> parse_os_release(std::string_view text);

/// The first processor of /proc/cpuinfo: model name and flags, sorted.
struct CpuInfo {
  std::string name;
  std::vector<std::string> flags;
};
CpuInfo parse_cpuinfo(std::string_view text);

/// `NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  ...` of /proc/driver/nvidia/version.
struct NvrmVersion {
  std::string version;
  bool open_module = false;   // "Open Kernel Module"
};
std::optional<NvrmVersion> parse_nvrm_version(std::string_view text);

/// The driver and CUDA versions in the banner that nvidia-smi prints: both the old words ("Driver Version", "CUDA
/// Version") and those of the 610 branch ("KMD Version", "CUDA UMD Version").
struct SmiBanner {
  std::string driver, cuda;
};
SmiBanner parse_nvidia_smi(std::string_view text);

/// What nvidia-smi said about the driver, on one line of at most 500 bytes: the versions in its table, or, when it failed,
/// its exit code and its first lines. Empty when it claims success and names no version.
std::string summarize_nvidia_smi(std::string_view text, int exit_code);

/// The container engine that a cgroup file or mount table betrays: docker, kubernetes, lxc, podman, or empty.
std::string container_of_cgroup(std::string_view text);

/// The hypervisor that the firmware's vendor and product names betray: kvm, vmware, hyperv, …; empty on other machines.
std::string hypervisor_of_product(std::string_view vendor_and_product);
/// The hypervisor with this CPUID signature ("VMwareVMware"); "unknown" for others. A virtual machine of KVM may bear Hyper-V's.
std::string hypervisor_of_signature(std::string_view signature);

/// The home folder of a user in the text of /etc/passwd; empty when it has no such user.
std::string home_in_passwd(std::string_view text, std::string_view user_id);

/// The glibc release in a text such as ldconfig's generator line ("... release version 2.36"); empty when there is none.
std::string glibc_version_in(std::string_view text);

}  // namespace gpuway
