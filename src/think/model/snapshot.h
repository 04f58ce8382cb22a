#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "think/model/binary.h"
#include "think/model/driver_report.h"
#include "think/model/fact.h"
#include "think/model/graphics.h"
#include "think/model/python_env.h"
#include "think/model/wsl.h"

namespace gpuway {

/// The system that runs, and what it runs in.
struct SystemFacts {
  std::string family = "linux";        // linux | windows
  Fact<std::string> name;              // "Debian GNU/Linux 12 (bookworm)"
  Fact<std::string> distribution;      // os-release ID
  Fact<std::string> distribution_version;
  Fact<std::string> kernel;            // release
  Fact<std::string> architecture;      // x86_64, aarch64
  Fact<std::string> libc;              // "glibc 2.36" or "musl 1.2.4"
  std::string kind = "undetermined";   // bare | vm | container | wsl1 | wsl2 | undetermined
  Source kind_source;
  Fact<std::string> container;         // docker podman lxc kubernetes singularity ...; absent when not in one
  Fact<std::string> hypervisor;        // kvm, hyperv, vmware, firecracker, ...; absent on bare metal
  Fact<std::vector<std::string>> cpu_flags;  // /proc/cpuinfo flags, sorted
  Fact<std::string> cpu_name;
  Fact<bool> secure_boot;
};

/// One display adapter as Windows knows it: a key of the display class.
struct DisplayAdapter {
  std::string name;             // DriverDesc
  std::uint16_t vendor = 0, device = 0;   // PCI ids out of MatchingDeviceId; 0 when it has none
  std::string driver_version;   // "32.0.15.6636"; NVIDIA's 566.36 are its last five digits
  std::string driver_date;      // as written
  std::string provider;         // ProviderName: "NVIDIA", "Microsoft" for the basic adapter
  std::uint64_t memory_bytes = 0;
  std::string problem;          // why the device does not run (Code 43), or empty
};

/// What only a Windows machine has.
struct WindowsFacts {
  Fact<std::uint32_t> build;            // 19045
  Fact<std::string> release;            // "22H2"
  std::string windows_folder, system_folder;   // C:/Windows, C:/Windows/System32
  Fact<bool> long_paths;                // LongPathsEnabled
  Fact<bool> safe_dll_search;           // SafeDllSearchMode; absent: on
  Fact<std::vector<std::string>> known_dlls;   // file names, lower case
  Fact<std::string> user_path, machine_path;   // PATH as the registry has it: what a new terminal would get
  Fact<std::string> cpp_runtime;        // version of the Microsoft C++ runtime for this processor ("14.38.33135")
  Fact<bool> firmware_virtualization;   // the processor's virtualisation is switched on
  std::map<std::string, Fact<bool>> features;  // of Windows, by name: whether it is switched on
  std::vector<DisplayAdapter> adapters;
  Fact<std::vector<GraphicsAdapter>> graphics_adapters;   // in the order in which programs see them; absent: no DXGI
};

/// One display or compute adapter on the PCI bus.
struct PciGpu {
  std::string address;         // 0000:01:00.0
  std::uint16_t vendor = 0, device = 0, subsystem_vendor = 0, subsystem_device = 0;
  std::string driver;          // nvidia, nouveau, vfio-pci, amdgpu, i915, or empty for none
  std::string name;            // from the table of GPUs, or empty
  std::string power_state;     // D0, D3cold, suspended, or empty when unknown
  bool boot_display = false;
};

/// A device node and whether this process may open it for reading and writing.
struct DeviceNode {
  std::string path;
  Fact<bool> usable;           // absent: no such node; undetermined: could not be tried
  std::string detail;          // mode, owner, group, or errno
};

/// The NVIDIA driver's kernel part, and what else owns GPUs.
struct DriverFacts {
  Fact<std::string> module_version;        // /proc/driver/nvidia/version or /sys/module/nvidia/version
  Fact<std::string> module_flavour;        // "open" or "proprietary"
  std::vector<std::string> loaded_modules; // of nvidia, nvidia_uvm, nvidia_drm, nouveau, nova_core, amdgpu, vfio_pci
  Fact<bool> module_file_for_kernel;       // an nvidia.ko for the running kernel lies on the disk
  std::vector<DeviceNode> nodes;           // /dev/nvidia0.., nvidiactl, nvidia-uvm, dxg, kfd
  std::vector<std::string> libcuda_files;  // every libcuda.so* found in the usual folders, stubs included
  Fact<std::vector<std::string>> windows_packages;   // NVIDIA's driver packages of the Windows around a WSL 2 distribution
  std::string smi_program;                 // where nvidia-smi lies; empty: nowhere, or it cannot be run here
  Fact<std::string> smi_text;              // what nvidia-smi said about the driver; asked only when the driver does not work
  Fact<std::string> smi_driver_version;    // read from its output
  std::map<std::string, DriverReport> reports;  // per real path of a libcuda that a chain would load
};

struct ProbeOutcome {
  std::string id;
  std::string outcome;   // ok absent denied timed-out crashed malformed
  std::string detail;
  std::int64_t ms = 0;
};

/// Everything that is known of one machine. All judgement works on this value alone.
struct Snapshot {
  std::string taken_by;      // program version
  std::string taken_on;      // date, YYYY-MM-DD
  std::string root;          // "" for the live machine; the folder taken as a machine otherwise
  bool live = true;          // false: another root; driver and processes could not be asked
  std::string current_folder;   // empty: it no longer existed
  std::string home_folder;
  SystemFacts system;
  std::optional<WindowsFacts> windows;   // of a Windows machine
  std::optional<WslFacts> wsl;           // of a Windows machine: its WSL
  std::optional<WindowsAround> around;   // of a WSL distribution: the Windows around it
  Fact<std::vector<PciGpu>> pci_gpus;
  DriverFacts driver;
  std::map<std::string, std::string> variables;   // environment variables that matter, as this process has them
  std::vector<PythonEnvironment> environments;

  // What the loader replay asked for:
  Fact<LoaderCache> loader_cache;
  Fact<std::vector<std::string>> loader_folders;  // of /etc/ld.so.conf and what it includes, in order
  std::map<std::string, BinaryView> binaries;     // by path as asked
  std::map<std::string, FolderView> folders;      // by path as asked
  std::map<std::string, SymbolCheck> symbol_checks;   // by SymbolCheck::key()
  std::map<std::string, ImportCheck> import_checks;   // by ImportCheck::key()
  std::map<std::string, Fact<GpuCodeSummary>> gpu_code;   // by path
  std::map<std::string, Fact<std::string>> texts;  // small text files that rules asked for, by path
  std::map<std::string, Fact<bool>> needles;       // by needle_key(): whether a file holds a byte string

  std::vector<ProbeOutcome> probes;
};

/// The key under which the Snapshot keeps whether `path` holds the bytes of `text` (files of at most 1 GiB).
std::string needle_key(const std::string& path, const std::string& text);

/// What pure code still wants to know. Sense fetches it and the pure code runs again, until nothing new is wanted.
struct Wants {
  std::map<std::string, bool> folders, binaries, gpu_code, texts;   // the value is unused; a map keeps the order
  std::map<std::string, SymbolCheck> symbol_checks;                 // outcome unset
  std::map<std::string, ImportCheck> import_checks;                 // outcome unset
  struct DriverQuestion {
    std::string libcuda, libnvml;   // paths; libnvml may be empty
  };
  std::map<std::string, DriverQuestion> driver_reports;             // by libcuda path
  struct Needle {
    std::string path, text;
  };
  std::map<std::string, Needle> needles;                            // by needle_key()
  bool nvidia_smi = false;                                          // what nvidia-smi says
  bool empty() const {
    return !nvidia_smi && needles.empty() && folders.empty() && binaries.empty() && gpu_code.empty() && texts.empty() && symbol_checks.empty() && import_checks.empty() &&
           driver_reports.empty();
  }
  void merge(const Wants& other);
};

}  // namespace gpuway
