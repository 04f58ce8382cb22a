#include "think/formats/system_files.h"

#include <algorithm>

#include "base/text.h"

namespace gpuway {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The version (digits and dots) that begins at or after `from`, with at least one dot.
std::string version_after(std::string_view text, std::size_t from) {
  for (auto at = from; at < text.size() && text[at] != '\n'; ++at) {
    if (!is_digit(text[at])) continue;
    auto end = at;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    auto version = text.substr(at, end - at);
    while (!version.empty() && version.back() == '.') version.remove_suffix(1);
    // A number that is part of a word (x86_64) is no version.
    const bool in_word = at > 0 && (text[at - 1] == '_' || (text[at - 1] >= 'a' && text[at - 1] <= 'z'));
    if (!in_word && version.find('.') != std::string_view::npos) return std::string(version);
    at = end;
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> parse_os_release(std::string_view text) {
  std::map<std::string, std::string> fields;
  for (const auto line : split_lines(text)) {
    const auto equals = line.find('=');
    if (line.empty() || line.front() == '#' || equals == std::string_view::npos) continue;
    auto value = trim(line.substr(equals + 1));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front()) {
      value = value.substr(1, value.size() - 2);
    }
    std::string plain;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (value[i] == '\\' && i + 1 < value.size()) ++i;
      plain += value[i];
    }
    fields.emplace(trim(line.substr(0, equals)), std::move(plain));
  }
  return fields;
}

CpuInfo parse_cpuinfo(std::string_view text) {
  CpuInfo cpu;
  for (const auto line : split_lines(text)) {
    if (line.empty() && !cpu.flags.empty()) break;   // the first processor stands for all
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto key = trim(line.substr(0, colon)), value = trim(line.substr(colon + 1));
    if (key == "model name" && cpu.name.empty()) cpu.name = value;
    if ((key == "flags" || key == "Features") && cpu.flags.empty()) {
      for (const auto flag : split(value, ' ')) {
        if (!flag.empty()) cpu.flags.emplace_back(flag);
      }
      std::sort(cpu.flags.begin(), cpu.flags.end());
    }
  }
  return cpu;
}

std::optional<NvrmVersion> parse_nvrm_version(std::string_view text) {
  const auto line_at = text.find("NVRM version:");
  if (line_at == std::string_view::npos) return std::nullopt;
  const auto line = text.substr(line_at, text.substr(line_at).find('\n'));
  const auto module = line.find("Kernel Module");
  if (module == std::string_view::npos) return std::nullopt;
  NvrmVersion out;
  out.version = version_after(line, module);
  out.open_module = line.find("Open Kernel Module") != std::string_view::npos;
  if (out.version.empty()) return std::nullopt;
  return out;
}

SmiBanner parse_nvidia_smi(std::string_view text) {
  SmiBanner banner;
  const auto after = [&](std::string_view word) {
    const auto at = text.find(word);
    return at == std::string_view::npos ? std::string() : version_after(text, at + word.size());
  };
  banner.driver = after("Driver Version:");
  if (banner.driver.empty()) banner.driver = after("KMD Version:");
  banner.cuda = after("CUDA Version:");
  if (banner.cuda.empty()) banner.cuda = after("CUDA UMD Version:");
  return banner;
}

std::string summarize_nvidia_smi(std::string_view text, int exit_code) {
  constexpr std::size_t kMaxText = 500;
  const auto banner = parse_nvidia_smi(text);
  if (exit_code == 0) {
    if (banner.driver.empty()) return {};
    return "driver " + banner.driver + (banner.cuda.empty() ? "" : ", CUDA " + banner.cuda);
  }
  std::string out = "exit code " + std::to_string(exit_code);
  const auto* separator = ": ";
  for (const auto line : split_lines(text)) {
    const auto words = trim(line);
    if (words.empty()) continue;
    if (out.size() + words.size() + 2 > kMaxText) break;
    out += separator + std::string(words);
    separator = " ";
  }
  return out;
}

std::string container_of_cgroup(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> marks[] = {
      {"kubepods", "kubernetes"}, {"/docker/", "docker"},  {"docker-", "docker"},      {"libpod-", "podman"},
      {"/lxc/", "lxc"},           {"/lxc.payload", "lxc"}, {"/containerd/", "docker"}, {"/machine.slice/systemd-nspawn", "nspawn"}};
  for (const auto& [mark, engine] : marks) {
    if (text.find(mark) != std::string_view::npos) return std::string(engine);
  }
  return {};
}

std::string glibc_version_in(std::string_view text) {
  const auto at = text.find("release version ");
  return at == std::string_view::npos ? std::string() : version_after(text, at);
}

std::string hypervisor_of_product(std::string_view vendor_and_product) {
  constexpr std::pair<std::string_view, std::string_view> marks[] = {
      {"vmware", "vmware"},        {"virtualbox", "virtualbox"},          {"qemu", "kvm"},       {"kvm", "kvm"},
      {"xen", "xen"},              {"microsoft corporation virtual", "hyperv"}, {"amazon ec2", "kvm"}, {"google compute engine", "kvm"},
      {"openstack", "kvm"},        {"parallels", "parallels"},            {"bochs", "kvm"}};
  const auto text = to_lower(vendor_and_product);
  for (const auto& [mark, name] : marks) {
    if (text.find(mark) != std::string::npos) return std::string(name);
  }
  return {};
}

std::string hypervisor_of_signature(std::string_view signature) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"Microsoft Hv", "hyperv"}, {"VMwareVMware", "vmware"}, {"KVMKVMKVM", "kvm"},        {"VBoxVBoxVBox", "virtualbox"},
      {"XenVMMXenVMM", "xen"},    {"TCGTCGTCGTCG", "kvm"},    {"prl hyperv", "parallels"}};
  for (const auto& [mark, name] : names) {
    if (signature.starts_with(mark)) return std::string(name);
  }
  return "unknown";
}

std::string home_in_passwd(std::string_view text, std::string_view user_id) {
  for (const auto line : split_lines(text)) {
    const auto fields = split(line, ':');
    if (fields.size() >= 6 && fields[2] == user_id) return std::string(fields[5]);
  }
  return {};
}

}  // namespace gpuway
