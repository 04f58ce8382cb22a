#include "sense/probes/system.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/formats/ld_so_cache.h"
#include "think/formats/system_files.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kSmallFile = 1 << 20;
constexpr std::uint64_t kMaxCache = 64 << 20;

Source file_source(std::string path) { return {Source::Kind::file, std::move(path)}; }

Fact<std::string> text_fact(const Host& host, const std::string& path) {
  auto text = host.read_file(path, kSmallFile);
  if (!text) return Fact<std::string>::from_error(text.error(), file_source(path));
  return Fact<std::string>::known(std::string(trim(*text)), file_source(path));
}

bool exists(const Host& host, const std::string& path) { return host.stat(path, true).has_value(); }

void collect_release(const Host& host, SystemFacts& system) {
  for (const auto* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto text = host.read_file(path, kSmallFile);
    if (!text) {
      system.name = Fact<std::string>::from_error(text.error(), file_source(path));
      system.distribution = system.distribution_version = system.name;
      continue;
    }
    auto fields = parse_os_release(*text);
    const auto field = [&](const char* key) {
      const auto found = fields.find(key);
      return found == fields.end() ? Fact<std::string>::absent(file_source(path)) : Fact<std::string>::known(found->second, file_source(path));
    };
    system.name = field("PRETTY_NAME");
    system.distribution = field("ID");
    system.distribution_version = field("VERSION_ID");
    return;
  }
}

void collect_container(const Host& host, SystemFacts& system) {
  const auto found = [&](std::string engine, std::string where) {
    system.container = Fact<std::string>::known(std::move(engine), file_source(std::move(where)));
  };
  const auto& variables = host.environment();
  // A WSL distribution made from a container image keeps the image's mark; WSL's own folder is not seen in a container.
  if (host.is_live() && exists(host, "/run/WSL")) {
    system.container = Fact<std::string>::absent(file_source("/run/WSL"));
    return;
  }
  if (exists(host, "/.dockerenv")) return found("docker", "/.dockerenv");
  if (exists(host, "/run/.containerenv")) return found("podman", "/run/.containerenv");
  if (exists(host, "/.singularity.d")) return found("singularity", "/.singularity.d");
  if (variables.contains("KUBERNETES_SERVICE_HOST") || exists(host, "/var/run/secrets/kubernetes.io")) {
    return found("kubernetes", "/var/run/secrets/kubernetes.io");
  }
  if (!host.is_live()) {
    system.container = Fact<std::string>::undetermined(ErrorCode::not_looked, "another root", file_source("/"));
    return;
  }
  if (const auto text = host.read_file("/run/systemd/container", kSmallFile)) return found(std::string(trim(*text)), "/run/systemd/container");
  if (const auto text = host.read_file("/proc/1/environ", kSmallFile)) {
    for (const auto entry : split(*text, '\0')) {
      if (entry.starts_with("container=") && entry.size() > 10) return found(std::string(entry.substr(10)), "/proc/1/environ");
    }
  }
  const auto cgroup = host.read_file("/proc/1/cgroup", kSmallFile);
  if (cgroup) {
    if (auto engine = container_of_cgroup(*cgroup); !engine.empty()) return found(std::move(engine), "/proc/1/cgroup");
  }
  system.container = Fact<std::string>::absent(file_source("/proc/1/cgroup"));
}

void collect_hypervisor(const Host& host, SystemFacts& system) {
  const auto vendor = host.read_file("/sys/class/dmi/id/sys_vendor", 4096);
  const auto product = host.read_file("/sys/class/dmi/id/product_name", 4096);
  const auto text = (vendor ? std::string(trim(*vendor)) : "") + " " + (product ? std::string(trim(*product)) : "");
  if (const auto name = hypervisor_of_product(text); !name.empty()) {
    system.hypervisor = Fact<std::string>::known(std::string(name), file_source("/sys/class/dmi/id/sys_vendor"));
    return;
  }
  if (system.cpu_flags.is_known()) {
    const auto& flags = *system.cpu_flags;
    const bool inside = std::binary_search(flags.begin(), flags.end(), "hypervisor");
    system.hypervisor = inside ? Fact<std::string>::known("unknown", file_source("/proc/cpuinfo")) : Fact<std::string>::absent(file_source("/proc/cpuinfo"));
  }
}

void collect_kind(const Host& host, SystemFacts& system) {
  const auto kernel = to_lower(system.kernel.value_or(""));
  const bool microsoft = kernel.find("microsoft") != std::string::npos;
  // A kernel of one's own may have any name; the folder is made by WSL's init, which WSL 1 runs on its own kernel only.
  if (!microsoft && host.is_live() && exists(host, "/run/WSL")) {
    system.kind = "wsl2";
    system.kind_source = file_source("/run/WSL");
    return;
  }
  if (microsoft) {
    // WSL 1 reports a 4.4 kernel that does not exist; WSL 2 runs a real one, named -microsoft-standard.
    const bool wsl2 = kernel.find("wsl2") != std::string::npos || kernel.find("microsoft-standard") != std::string::npos || exists(host, "/dev/dxg") || exists(host, "/run/WSL");
    system.kind = wsl2 ? "wsl2" : "wsl1";
    system.kind_source = file_source("/proc/sys/kernel/osrelease");
    return;
  }
  if (system.container.is_known()) {
    system.kind = "container";
    system.kind_source = system.container.source;
  } else if (system.hypervisor.is_known()) {
    system.kind = "vm";
    system.kind_source = system.hypervisor.source;
  } else if (host.is_live() && system.hypervisor.is_absent()) {
    system.kind = "bare";
    system.kind_source = system.hypervisor.source;
  }
}

}  // namespace

void collect_system(const Host& host, Snapshot& snapshot) {
  auto& system = snapshot.system;
  collect_release(host, system);
  if (host.is_live()) {
    system.kernel = text_fact(host, "/proc/sys/kernel/osrelease");
    const auto cpu_text = host.read_file("/proc/cpuinfo", 64 << 20);
    const auto cpu_source = file_source("/proc/cpuinfo");
    if (cpu_text) {
      auto cpu = parse_cpuinfo(*cpu_text);
      system.cpu_name = Fact<std::string>::known(std::move(cpu.name), cpu_source);
      system.cpu_flags = Fact<std::vector<std::string>>::known(std::move(cpu.flags), cpu_source);
    } else {
      system.cpu_flags = Fact<std::vector<std::string>>::from_error(cpu_text.error(), cpu_source);
    }
    collect_hypervisor(host, system);
  }
  const auto musl = host.stat("/lib/ld-musl-x86_64.so.1", true);
  system.architecture = Fact<std::string>::absent({});
  if (exists(host, "/lib64/ld-linux-x86-64.so.2") || musl) {
    system.architecture = Fact<std::string>::known("x86_64", file_source("/lib64/ld-linux-x86-64.so.2"));
  } else if (exists(host, "/lib/ld-linux-aarch64.so.1")) {
    system.architecture = Fact<std::string>::known("aarch64", file_source("/lib/ld-linux-aarch64.so.1"));
  }
  if (musl && !exists(host, "/lib64/ld-linux-x86-64.so.2")) {
    system.libc = Fact<std::string>::known("musl", file_source("/lib/ld-musl-x86_64.so.1"));
  }
  collect_container(host, system);
  collect_kind(host, system);
  const auto efivars = host.list_folder("/sys/firmware/efi/efivars", 4096);
  if (efivars) {
    for (const auto& entry : efivars->entries) {
      if (!entry.name.starts_with("SecureBoot-")) continue;
      const auto path = "/sys/firmware/efi/efivars/" + entry.name;
      if (const auto bytes = host.read_file(path, 64); bytes && bytes->size() >= 5) {
        system.secure_boot = Fact<bool>::known((*bytes)[4] == 1, file_source(path));   // byte 5 holds the state
      }
    }
  } else {
    system.secure_boot = Fact<bool>::from_error(efivars.error(), file_source("/sys/firmware/efi/efivars"));
  }
}

void collect_loader_cache(const Host& host, Snapshot& snapshot) {
  const std::string path = "/etc/ld.so.cache";
  const auto bytes = host.read_file(path, kMaxCache);
  if (!bytes) {
    snapshot.loader_cache = Fact<LoaderCache>::from_error(bytes.error(), file_source(path));
    return;
  }
  const std::uint16_t machine = snapshot.system.architecture.value_or("x86_64") == "aarch64" ? 183 : 62;
  auto cache = parse_ld_so_cache(ByteView(*bytes), machine);
  if (!cache) {
    // The loader ignores a cache that it cannot read, as if there were none.
    snapshot.loader_cache = Fact<LoaderCache>::undetermined(cache.error().code, cache.error().detail, file_source(path));
    return;
  }
  if (!snapshot.system.libc.is_known()) {
    if (auto version = glibc_version_in(cache->generator); !version.empty()) {
      snapshot.system.libc = Fact<std::string>::known("glibc " + version, file_source(path));
    }
  }
  snapshot.loader_cache = Fact<LoaderCache>::known(cache.take(), file_source(path));
}

void collect_variables(const Host& host, Snapshot& snapshot) {
  // Names that some link of a chain reads, or that explain one; never a value that may be a secret.
  constexpr std::string_view exact[] = {"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "PATH", "VIRTUAL_ENV", "KERAS_BACKEND", "KERAS_HOME", "HOME"};
  constexpr std::string_view prefixes[] = {"CUDA_", "CUDNN_", "NVIDIA_", "TF_", "XLA_", "JAX_", "PYTORCH_", "TORCH_", "ORT_", "PYTHON", "CONDA_", "HIP_", "ROCR_",
                                           "ONEAPI_", "SLURM_JOB", "KUBERNETES_SERVICE_HOST", "WSL_", "NVTOOLSEXT_", "PROTOCOL_BUFFERS_", "USE_", "DML_"};
  for (const auto& [name, value] : host.environment()) {
    const bool wanted = std::find(std::begin(exact), std::end(exact), name) != std::end(exact) ||
                        std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view prefix) { return name.starts_with(prefix); });
    const bool secret = name.find("TOKEN") != std::string::npos || name.find("SECRET") != std::string::npos ||
                        name.find("PASSWORD") != std::string::npos || name.find("_KEY") != std::string::npos;
    if (wanted && !secret) snapshot.variables.emplace(name, value);
  }
}

}  // namespace gpuway
