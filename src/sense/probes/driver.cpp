#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/path.h"
#include "base/text.h"
#include "sense/probes/nvidia_smi.h"
#include "sense/probes/system.h"
#include "think/formats/system_files.h"
#include "think/knowledge/gpus.h"

namespace gpuway {
namespace {

Source file_source(std::string path) { return {Source::Kind::file, std::move(path)}; }

std::uint16_t read_hex(const Host& host, const std::string& path) {
  const auto text = host.read_file(path, 64);
  if (!text) return 0;
  return static_cast<std::uint16_t>(std::strtoul(std::string(trim(*text)).c_str(), nullptr, 16));
}

std::string read_word(const Host& host, const std::string& path) {
  const auto text = host.read_file(path, 256);
  return text ? std::string(trim(*text)) : std::string();
}

// An nvidia.ko for the running kernel, in the folders where distributions and DKMS put it.
Fact<bool> find_module_file(const Host& host, const std::string& kernel) {
  const auto base = "/lib/modules/" + kernel;
  const auto whole = host.stat(base, true);
  if (!whole) return Fact<bool>::from_error(whole.error(), {Source::Kind::folder, base});
  std::vector<std::string> folders = {base + "/updates/dkms", base + "/updates", base + "/extra", base + "/extra/nvidia", base + "/misc",
                                      base + "/kernel/drivers/video", base + "/kernel/drivers/char/drm", base + "/kernel/nvidia", base + "/video", base + "/weak-updates"};
  for (const auto& parent : {base + "/kernel", base + "/extra", base + "/updates"}) {
    const auto listing = host.list_matching(parent, 64, [](std::string_view name) { return name.starts_with("nvidia"); });
    if (!listing) continue;
    for (const auto& entry : listing->entries) folders.push_back(join_path(parent, entry.name));
  }
  for (const auto& folder : folders) {
    const auto listing = host.list_matching(folder, 16, [](std::string_view name) {
      return name.starts_with("nvidia.ko") || name.starts_with("nvidia-current.ko");
    });
    if (listing && !listing->entries.empty()) {
      return Fact<bool>::known(true, file_source(join_path(folder, listing->entries.front().name)));
    }
  }
  return Fact<bool>::known(false, {Source::Kind::folder, base});
}

void collect_nodes(const Host& host, DriverFacts& driver) {
  std::vector<std::string> paths = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/dev/dxg", "/dev/kfd"};
  const auto listing = host.list_matching("/dev", 4096, [](std::string_view name) {
    return name.starts_with("nvidia") && name.size() > 6 && name[6] >= '0' && name[6] <= '9';
  });
  if (listing) {
    for (const auto& entry : listing->entries) {
      if (entry.name != "nvidia0") paths.push_back("/dev/" + entry.name);
    }
  }
  for (const auto& path : paths) {
    DeviceNode node;
    node.path = path;
    const auto stat = host.stat(path, true);
    if (!stat) {
      node.usable = Fact<bool>::from_error(stat.error(), file_source(path));
    } else {
      char mode[16];
      std::snprintf(mode, sizeof mode, "%04o", stat->mode);
      node.detail = std::string("mode ") + mode + ", owner " + std::to_string(stat->owner) + ", group " + std::to_string(stat->group);
      if (host.is_live()) {
        const auto opened = host.can_open(path);
        node.usable = opened ? Fact<bool>::known(*opened, file_source(path)) : Fact<bool>::undetermined(opened.error().code, opened.error().detail, file_source(path));
        // A node whose mode lets everybody in and that still cannot be opened is refused by the container's device rules.
        if (opened && !*opened && (stat->mode & 0006) == 0006) node.detail += ", refused by the control group's device rules";
      }
    }
    driver.nodes.push_back(std::move(node));
  }
}

void collect_libcuda_files(const Host& host, DriverFacts& driver) {
  std::vector<std::string> folders = {"/usr/lib/wsl/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu/nvidia/current",
                                      "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib64/nvidia", "/usr/lib", "/usr/local/nvidia/lib64",
                                      "/usr/local/nvidia/lib", "/run/opengl-driver/lib", "/usr/lib/nvidia", "/opt/nvidia/lib64",
                                      "/usr/local/cuda/compat", "/usr/local/cuda/lib64/stubs", "/usr/local/cuda/targets/x86_64-linux/lib/stubs"};
  for (const auto& folder : folders) {
    const auto listing = host.list_matching(folder, 64, [](std::string_view name) { return name.starts_with("libcuda.so"); });
    if (!listing) continue;
    for (const auto& entry : listing->entries) driver.libcuda_files.push_back(join_path(folder, entry.name));
  }
}

// WSL shows the driver packages of Windows read-only; NVIDIA's are named after their .inf file: nv_dispi, nvmdi, nvhm, …
// (shared facts: wsl.md 9).
void collect_windows_packages(const Host& host, const SystemFacts& system, DriverFacts& driver) {
  if (system.kind != "wsl2") return;
  const std::string folder = "/usr/lib/wsl/drivers";
  const Source source{Source::Kind::folder, folder};
  const auto listing = host.list_matching(folder, 64, [](std::string_view name) {
    return name.starts_with("nv") && name.find(".inf_") != std::string_view::npos;
  });
  if (!listing) {
    driver.windows_packages = Fact<std::vector<std::string>>::from_error(listing.error(), source);
    return;
  }
  std::vector<std::string> names;
  for (const auto& entry : listing->entries) names.push_back(entry.name);
  driver.windows_packages = Fact<std::vector<std::string>>::known(std::move(names), source);
}

}  // namespace

void collect_pci_gpus(const Host& host, Snapshot& snapshot) {
  const std::string base = "/sys/bus/pci/devices";
  const auto listing = host.list_folder(base, 4096);
  const Source source{Source::Kind::folder, base};
  if (!listing) {
    snapshot.pci_gpus = Fact<std::vector<PciGpu>>::from_error(listing.error(), source);
    return;
  }
  std::vector<PciGpu> gpus;
  for (const auto& entry : listing->entries) {
    const auto folder = join_path(base, entry.name);
    const auto class_text = read_word(host, folder + "/class");
    // Class 03: display controllers (VGA 00, XGA 01, 3D 02, other 80).
    if (!class_text.starts_with("0x03")) continue;
    PciGpu gpu;
    gpu.address = entry.name;
    gpu.vendor = read_hex(host, folder + "/vendor");
    gpu.device = read_hex(host, folder + "/device");
    if (const auto model = find_gpu(gpu.vendor, gpu.device)) gpu.name = model->name;
    gpu.subsystem_vendor = read_hex(host, folder + "/subsystem_vendor");
    gpu.subsystem_device = read_hex(host, folder + "/subsystem_device");
    if (const auto driver = host.read_link(folder + "/driver")) gpu.driver = file_name(*driver);
    gpu.power_state = read_word(host, folder + "/power/runtime_status");
    gpu.boot_display = read_word(host, folder + "/boot_vga") == "1";
    gpus.push_back(std::move(gpu));
  }
  snapshot.pci_gpus = Fact<std::vector<PciGpu>>::known(std::move(gpus), source);
}

void collect_driver(const Host& host, Snapshot& snapshot) {
  auto& driver = snapshot.driver;
  collect_libcuda_files(host, driver);
  collect_windows_packages(host, snapshot.system, driver);
  if (!host.is_live()) return;
  driver.smi_program = find_nvidia_smi(host);
  const std::string proc = "/proc/driver/nvidia/version", sys = "/sys/module/nvidia/version";
  const auto text = host.read_file(proc, 65536);
  if (text) {
    if (const auto parsed = parse_nvrm_version(*text)) {
      driver.module_version = Fact<std::string>::known(parsed->version, file_source(proc));
      driver.module_flavour = Fact<std::string>::known(parsed->open_module ? "open" : "proprietary", file_source(proc));
    } else {
      driver.module_version = Fact<std::string>::undetermined(ErrorCode::malformed, "no NVRM version line", file_source(proc));
    }
  } else {
    const auto version = read_word(host, sys);
    driver.module_version = version.empty() ? Fact<std::string>::from_error(text.error(), file_source(proc)) : Fact<std::string>::known(version, file_source(sys));
  }
  for (const auto* name : {"nvidia", "nvidia_uvm", "nvidia_drm", "nouveau", "nova_core", "amdgpu", "vfio_pci"}) {
    if (host.stat(std::string("/sys/module/") + name, true)) driver.loaded_modules.emplace_back(name);
  }
  if (snapshot.system.kernel.is_known()) driver.module_file_for_kernel = find_module_file(host, *snapshot.system.kernel);
  collect_nodes(host, driver);
}

}  // namespace gpuway
