// The texts of the system: os-release, cpuinfo, NVRM's version, nvidia-smi, cgroup, glibc's release.
#include "think/formats/ld_so_conf.h"
#include "think/formats/system_files.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)gpuway::parse_os_release(text);
  (void)gpuway::parse_cpuinfo(text);
  (void)gpuway::parse_nvrm_version(text);
  (void)gpuway::parse_nvidia_smi(text);
  (void)gpuway::container_of_cgroup(text);
  (void)gpuway::glibc_version_in(text);
  (void)gpuway::parse_ld_so_conf(text);
  (void)gpuway::fits_pattern(text.substr(0, text.size() / 2), text.substr(text.size() / 2));
  for (const int code : {0, 9}) {
    if (gpuway::summarize_nvidia_smi(text, code).size() > 500) std::abort();
  }
  return 0;
}
