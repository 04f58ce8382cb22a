#include "sense/probes/windows/wsl_from_windows.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "sense/probes/windows/registry_values.h"
#include "sense/probes/wsl/wsl_config_file.h"
#include "think/formats/wsl_output.h"

namespace gpuway {
namespace {

// DistributionRegistration.h and wslservice.idl of github.com/microsoft/WSL name the keys and their values.
constexpr const char* kUserKey = "HKCU/SOFTWARE/Microsoft/Windows/CurrentVersion/Lxss";
constexpr const char* kPackageKey = "HKLM/SOFTWARE/Microsoft/Windows/CurrentVersion/Lxss/Msi";
constexpr const char* kPolicyKey = "HKLM/SOFTWARE/Policies/WSL";
constexpr const char* kServices = "HKLM/SYSTEM/CurrentControlSet/Services/";
constexpr std::size_t kMaxDistributions = 256;
constexpr std::uint64_t kVirtualMachine = 8;   // of Flags: WSL 2
constexpr std::chrono::milliseconds kListLimit{5000};

std::uint64_t number_of(const RegistryKey& key, std::string_view name, std::uint64_t otherwise) {
  const auto* value = value_of(key, name);
  return value == nullptr || value->kind != RegistryValue::Kind::number ? otherwise : value->number;
}

FactState key_state(const Host& host, const std::string& key) {
  const auto found = host.read_registry(key, RegistryView::bits64);
  if (found) return FactState::known;
  return found.error().code == ErrorCode::not_found ? FactState::absent : FactState::undetermined;
}

FactState service_state(const Host& host, std::string_view service) { return key_state(host, kServices + std::string(service)); }

Fact<bool> exists(const Host& host, const std::string& path) {
  const Source source{Source::Kind::file, path};
  const auto found = host.stat(path, true);
  if (found) return Fact<bool>::known(true, source);
  if (found.error().code == ErrorCode::not_found) return Fact<bool>::known(false, source);
  return Fact<bool>::from_error(found.error(), source);
}

// State as the registry keeps it; that a distribution runs is known to the service alone.
std::string stored_state(std::uint64_t state) {
  constexpr std::string_view names[] = {"undetermined", "undetermined", "undetermined", "installing", "uninstalling", "converting", "exporting"};
  return std::string(state < std::size(names) ? names[state] : names[0]);
}

WslDistribution distribution_of(const Host& host, const RegistryKey& key, std::string guid) {
  WslDistribution out;
  out.guid = std::move(guid);
  out.name = text_of(key, "DistributionName");
  // The value "Version" is the layout of the files, not WSL 1 or 2.
  const auto* flags = value_of(key, "Flags");
  if (flags != nullptr && flags->kind == RegistryValue::Kind::number) out.version = (flags->number & kVirtualMachine) != 0 ? 2 : 1;
  out.state = stored_state(number_of(key, "State", 0));
  out.folder = clean_path(from_windows_path(text_of(key, "BasePath")));
  out.package = text_of(key, "PackageFamilyName");
  out.flavour = text_of(key, "Flavor");
  out.release = text_of(key, "OsVersion");
  out.user = static_cast<std::int64_t>(number_of(key, "DefaultUid", 0));
  if (out.version == 2) {
    auto disk = text_of(key, "VhdFileName");
    if (disk.empty()) disk = "ext4.vhdx";
    out.disk = join_path(out.folder, disk);
  }
  if (!text_of(key, "BasePath").empty()) out.disk_exists = exists(host, out.version == 2 ? out.disk : out.folder);
  out.looked = Fact<std::string>::undetermined(ErrorCode::not_looked, "not asked to", {});
  return out;
}

void collect_distributions(const Host& host, WslFacts& wsl) {
  const auto user = host.read_registry(kUserKey, RegistryView::bits64);
  if (!user) return;
  wsl.default_version = number_of(*user, "DefaultVersion", 2) == 1 ? 1 : 2;
  const auto chosen = text_of(*user, "DefaultDistribution");
  for (const auto& guid : user->subkeys) {
    if (wsl.distributions.size() == kMaxDistributions) break;
    const auto key = host.read_registry(std::string(kUserKey) + "/" + guid, RegistryView::bits64);
    if (!key || text_of(*key, "DistributionName").empty()) continue;   // InstallStatus and keys of a removal that was cut off
    auto distribution = distribution_of(host, *key, guid);
    distribution.is_default = to_lower(guid) == to_lower(chosen);
    if (distribution.is_default) wsl.default_distribution = Fact<std::string>::known(distribution.name, registry_source(kUserKey));
    wsl.distributions.push_back(std::move(distribution));
  }
  if (!wsl.default_distribution.is_known()) wsl.default_distribution = Fact<std::string>::absent(registry_source(kUserKey));
}

// Windows brings a wsl.exe that only offers to install. Behind the real ones stands a service: LxssManager (the feature of
// Windows) or WSLService (the package).
void tell_program(const Host& host, WslFacts& wsl) {
  wsl.version = registry_text_fact(host, kPackageKey, "Version");
  if (wsl.version.is_known()) {
    wsl.program = "packaged";
    return;
  }
  const auto program = exists(host, wsl.path);
  if (!program.is_known()) return;
  if (!*program) {
    wsl.program = "none";
    return;
  }
  const auto package = service_state(host, "WSLService"), inbox = service_state(host, "LxssManager");
  if (package == FactState::known) wsl.program = "packaged";
  else if (inbox == FactState::known) wsl.program = "inbox";
  else if (package == FactState::absent && inbox == FactState::absent && wsl.version.is_absent()) wsl.program = "stub";
}

void collect_config(const Host& host, const std::string& home, WslFacts& wsl) {
  if (home.empty()) return;
  wsl.config = read_wsl_config(host, join_path(home, ".wslconfig"), "wslconfig");
  // What editors make of the name.
  for (const auto* name : {".wslconfig.txt", "wslconfig", "wslconfig.txt", ".wslconfig.ini", ".wslconf", "wsl.conf"}) {
    if (host.stat(join_path(home, name), true)) wsl.other_configs.push_back(join_path(home, name));
  }
}

// Which distributions run. The list comes from the service of WSL; nothing of Linux is started for it.
void ask_what_runs(const Host& host, WslFacts& wsl) {
  const Source source{Source::Kind::command, "wsl.exe --list --verbose"};
  using Answer = Fact<std::string>;
  ProgramRequest request;
  request.arguments = {wsl.path, "--list", "--verbose"};
  request.time_limit = kListLimit;
  const auto output = host.run_program(request);
  if (!output) {
    wsl.answer = Answer::from_error(output.error(), source);
    return;
  }
  const auto text = decode_wsl_output(output->out);
  if (!text) {
    wsl.answer = Answer::from_error(text.error(), source);
    return;
  }
  const auto lines = parse_wsl_list(*text);
  if (output->exit_code != 0 || !lines) {
    auto fault = wsl_fault_in(*text);
    wsl.answer = fault.empty() ? Answer::undetermined(ErrorCode::malformed, "exit code " + std::to_string(output->exit_code), source)
                               : Answer::known(std::move(fault), source);
    return;
  }
  wsl.answer = Answer::known("ok", source);
  for (auto& distribution : wsl.distributions) {
    const auto line = std::find_if(lines->begin(), lines->end(), [&](const WslListLine& row) { return to_lower(row.name) == to_lower(distribution.name); });
    if (line == lines->end()) continue;
    distribution.state = line->state;
    if (distribution.version == 0) distribution.version = line->version;
  }
}

}  // namespace

void collect_wsl(const Host& host, Snapshot& snapshot) {
  auto& wsl = snapshot.wsl.emplace();
  const auto system = snapshot.windows ? snapshot.windows->system_folder : std::string("C:/Windows/System32");
  wsl.path = join_path(system, "wsl.exe");
  tell_program(host, wsl);
  collect_distributions(host, wsl);
  wsl.allowed = registry_fact<bool>(host, kPolicyKey, "AllowWSL", [](const RegistryValue& value) { return value.number != 0; });
  // What WSL itself looks for (wslutil.cpp, IsVirtualMachinePlatformInstalled).
  wsl.asks_for_virtualization = service_state(host, "vmcompute") == FactState::absent;
  collect_config(host, snapshot.home_folder, wsl);
  wsl.windows_libraries = exists(host, join_path(system, "lxss/lib/libcuda.so.1"));
  const bool installed = wsl.program == "packaged" || wsl.program == "inbox";
  if (installed && !wsl.distributions.empty() && exists(host, wsl.path).value_or(false)) ask_what_runs(host, wsl);
}

}  // namespace gpuway
