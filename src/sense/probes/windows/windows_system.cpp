#include "sense/probes/windows/windows_system.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "sense/probes/windows/registry_values.h"
#include "sense/probes/windows/windows_processor.h"
#include "think/formats/pe.h"

namespace gpuway {
namespace {

constexpr const char* kVersionKey = "HKLM/SOFTWARE/Microsoft/Windows NT/CurrentVersion";
constexpr const char* kSessionManager = "HKLM/SYSTEM/CurrentControlSet/Control/Session Manager";
// The class of display adapters.
constexpr const char* kDisplayClass = "HKLM/SYSTEM/CurrentControlSet/Control/Class/{4d36e968-e325-11ce-bfc1-08002be10318}";
constexpr const char* kCppRuntimeKey = "HKLM/SOFTWARE/Microsoft/VisualStudio/14.0/VC/Runtimes/";
constexpr std::size_t kMaxAdapters = 64;

Fact<bool> flag_fact(const Host& host, const std::string& path, const char* name) {
  return registry_fact<bool>(host, path, name, [](const RegistryValue& value) { return value.number != 0; });
}

// %SystemRoot%\bin: variables in the way in which the registry writes them.
std::string expanded(const Host& host, std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto open = text.find('%', at);
    const auto close = open == std::string_view::npos ? open : text.find('%', open + 1);
    if (close == std::string_view::npos) return out + std::string(text.substr(at));
    out += text.substr(at, open - at);
    std::string name(text.substr(open + 1, close - open - 1));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    const auto found = host.environment().find(name);
    out += found == host.environment().end() ? "%" + name + "%" : found->second;
    at = close + 1;
  }
  return out;
}

void collect_release(const Host& host, Snapshot& snapshot) {
  auto& system = snapshot.system;
  auto& windows = *snapshot.windows;
  const auto key = host.read_registry(kVersionKey, RegistryView::bits64);
  const auto source = registry_source(kVersionKey);
  if (!key) {
    system.name = Fact<std::string>::from_error(key.error(), source);
    return;
  }
  const auto build = to_integer(text_of(*key, "CurrentBuildNumber"));
  if (build && *build > 0) windows.build = Fact<std::uint32_t>::known(static_cast<std::uint32_t>(*build), source);
  auto release = text_of(*key, "DisplayVersion");
  if (release.empty()) release = text_of(*key, "ReleaseId");
  if (!release.empty()) windows.release = Fact<std::string>::known(release, source);
  // The registry of Windows 11 still says Windows 10; builds from 22000 on are 11 (Microsoft, release health).
  auto name = text_of(*key, "ProductName");
  constexpr std::string_view ten = "Windows 10";
  if (build && *build >= 22000 && name.starts_with(ten)) name.replace(0, ten.size(), "Windows 11");
  if (!release.empty()) name += " " + release;
  if (!name.empty()) system.name = Fact<std::string>::known(name, source);
  if (build) system.kernel = Fact<std::string>::known("10.0." + std::to_string(*build), source);
}

std::uint16_t id_in(std::string_view text, std::string_view mark) {
  const auto at = to_lower(text).find(mark);
  if (at == std::string::npos || text.size() < at + mark.size() + 4) return 0;
  std::uint16_t out = 0;
  for (const char c : to_lower(text.substr(at + mark.size(), 4))) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return 0;
    out = static_cast<std::uint16_t>(out << 4 | digit);
  }
  return out;
}

void collect_adapters(const Host& host, WindowsFacts& windows) {
  const auto root = host.read_registry(kDisplayClass, RegistryView::bits64);
  if (!root) return;
  for (const auto& name : root->subkeys) {
    // "0000", "0001", ...; beside them lie keys that only administrators may read.
    if (name.size() != 4 || !to_integer(name) || windows.adapters.size() >= kMaxAdapters) continue;
    const auto key = host.read_registry(std::string(kDisplayClass) + "/" + name, RegistryView::bits64);
    if (!key) continue;
    DisplayAdapter adapter;
    adapter.name = text_of(*key, "DriverDesc");
    adapter.driver_version = text_of(*key, "DriverVersion");
    adapter.driver_date = text_of(*key, "DriverDate");
    adapter.provider = text_of(*key, "ProviderName");
    const auto id = text_of(*key, "MatchingDeviceId");
    adapter.vendor = id_in(id, "ven_");
    adapter.device = id_in(id, "dev_");
    if (const auto* memory = value_of(*key, "HardwareInformation.qwMemorySize"); memory != nullptr) adapter.memory_bytes = memory->number;
    if (!adapter.name.empty()) windows.adapters.push_back(std::move(adapter));
  }
}

// "v14.38.33135.00" of the installer; where that left no trace, the file itself.
void collect_cpp_runtime(const Host& host, Snapshot& snapshot) {
  auto& windows = *snapshot.windows;
  const bool arm = snapshot.system.architecture.value_or("") == "aarch64";
  windows.cpp_runtime = registry_text_fact(host, std::string(kCppRuntimeKey) + (arm ? "arm64" : "x64"), "Version");
  if (windows.cpp_runtime.is_known()) {
    auto& version = *windows.cpp_runtime.value;
    if (version.starts_with('v')) version.erase(0, 1);
    return;
  }
  const auto path = windows.system_folder + "/vcruntime140.dll";
  const auto file = host.open_file(path);
  if (!file) {
    windows.cpp_runtime = Fact<std::string>::from_error(file.error(), {Source::Kind::file, path});
    return;
  }
  const auto image = summarize_pe(**file);
  if (image && !image->file_version.empty()) windows.cpp_runtime = Fact<std::string>::known(image->file_version, {Source::Kind::file, path});
}

}  // namespace

void collect_windows_system(const Host& host, Snapshot& snapshot) {
  auto& windows = snapshot.windows.emplace();
  snapshot.system.family = "windows";
  const auto& variables = host.environment();
  const auto root = variables.find("SYSTEMROOT");
  windows.windows_folder = root == variables.end() ? "C:/Windows" : clean_path(from_windows_path(root->second));
  windows.system_folder = windows.windows_folder + "/System32";
  collect_release(host, snapshot);
  collect_windows_processor(host, snapshot);
  windows.long_paths = flag_fact(host, "HKLM/SYSTEM/CurrentControlSet/Control/FileSystem", "LongPathsEnabled");
  windows.safe_dll_search = flag_fact(host, kSessionManager, "SafeDllSearchMode");
  const auto known_path = std::string(kSessionManager) + "/KnownDLLs";
  const auto known = host.read_registry(known_path, RegistryView::bits64);
  if (known) {
    std::vector<std::string> names;
    for (const auto& [name, value] : known->values) {
      if (to_lower(value.text).ends_with(".dll")) names.push_back(to_lower(value.text));
    }
    std::sort(names.begin(), names.end());
    windows.known_dlls = Fact<std::vector<std::string>>::known(std::move(names), registry_source(known_path));
  } else {
    windows.known_dlls = Fact<std::vector<std::string>>::from_error(known.error(), registry_source(known_path));
  }
  windows.user_path = registry_text_fact(host, "HKCU/Environment", "Path");
  windows.machine_path = registry_text_fact(host, std::string(kSessionManager) + "/Environment", "Path");
  for (auto* path : {&windows.user_path, &windows.machine_path}) {
    if (path->is_known()) path->value = expanded(host, **path);
  }
  collect_adapters(host, windows);
  collect_cpp_runtime(host, snapshot);
}

}  // namespace gpuway
