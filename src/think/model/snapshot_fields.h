// clang-format off
#pragma once

#include "think/model/snapshot.h"

// The one description of the Snapshot's fields: JSON writing, reading and the published schema all come from it.
// describe(archive, value) calls archive(name, member) for every member.

namespace gpuway {

template <class A> void describe(A& a, Source& v) { a("kind", v.kind); a("where", v.where); }
template <class A> void describe(A& a, VersionNeed& v) { a("file", v.file); a("version", v.version); a("weak", v.weak); }
template <class A> void describe(A& a, ElfSummary& v) {
  a("class", v.elf_class); a("little_endian", v.little_endian); a("machine", v.machine); a("type", v.type);
  a("os_abi", v.os_abi); a("abi_version", v.abi_version); a("soname", v.soname); a("needed", v.needed);
  a("rpath", v.rpath); a("runpath", v.runpath); a("flags", v.flags); a("flags_1", v.flags_1);
  a("interpreter", v.interpreter); a("version_needs", v.version_needs); a("version_definitions", v.version_definitions);
  a("has_versions", v.has_versions); a("executable_stack", v.executable_stack); a("load_end", v.load_end);
}
template <class A> void describe(A& a, PeSummary& v) {
  a("machine", v.machine); a("is_64", v.is_64); a("characteristics", v.characteristics); a("dll_characteristics", v.dll_characteristics);
  a("imports", v.imports); a("delayed_imports", v.delayed_imports); a("export_name", v.export_name); a("export_count", v.export_count);
  a("file_version", v.file_version); a("product_version", v.product_version); a("product_name", v.product_name); a("company", v.company); a("dependent_load_flags", v.dependent_load_flags);
  a("assemblies", v.assemblies); a("sections", v.sections); a("long_path_aware", v.long_path_aware); a("load_end", v.load_end);
}
template <class A> void describe(A& a, ImportCheck& v) {
  a("importer", v.importer); a("library", v.library); a("exporter", v.exporter); a("outcome", v.outcome); a("detail", v.detail);
  a("missing", v.missing); a("missing_count", v.missing_count); a("forwarded_to", v.forwarded_to);
}
template <class A> void describe(A& a, BinaryView& v) {
  a("outcome", v.outcome); a("reason", v.reason); a("detail", v.detail); a("real_path", v.real_path);
  a("file_id", v.file_id); a("file_size", v.file_size); a("elf", v.elf);
  a("pe", v.pe);
}
template <class A> void describe(A& a, FolderView& v) {
  a("outcome", v.outcome); a("reason", v.reason); a("detail", v.detail); a("names", v.names);
}
template <class A> void describe(A& a, GpuCodeSummary::Row& v) {
  a("kind", v.kind); a("arch", v.arch); a("variant", v.variant); a("ptx_major", v.ptx_major); a("ptx_minor", v.ptx_minor); a("count", v.count);
}
template <class A> void describe(A& a, GpuCodeSummary& v) {
  a("rows", v.rows); a("containers", v.containers); a("damaged", v.damaged); a("old_style", v.old_style); a("truncated", v.truncated);
}
template <class A> void describe(A& a, SymbolCheck::Missing& v) { a("symbol", v.symbol); a("version", v.version); a("file", v.file); }
template <class A> void describe(A& a, SymbolCheck& v) {
  a("object", v.object); a("scope", v.scope); a("outcome", v.outcome); a("detail", v.detail); a("missing", v.missing); a("missing_count", v.missing_count);
}
template <class A> void describe(A& a, LoaderCacheEntry& v) { a("soname", v.soname); a("path", v.path); a("hwcap", v.hwcap); }
template <class A> void describe(A& a, LoaderCache& v) { a("entries", v.entries); a("generator", v.generator); }
template <class A> void describe(A& a, DriverDevice& v) {
  a("ordinal", v.ordinal); a("name", v.name); a("compute_major", v.compute_major); a("compute_minor", v.compute_minor);
  a("memory_bytes", v.memory_bytes); a("pci_bus_id", v.pci_bus_id); a("uuid", v.uuid); a("compute_mode", v.compute_mode);
  a("multiprocessors", v.multiprocessors);
}
template <class A> void describe(A& a, NvmlReport& v) {
  a("path", v.path); a("loaded", v.loaded); a("load_error", v.load_error); a("missing_symbols", v.missing_symbols);
  a("init_code", v.init_code); a("driver_version", v.driver_version); a("device_count", v.device_count);
  a("mig_modes", v.mig_modes); a("mig_instances", v.mig_instances);
}
template <class A> void describe(A& a, DriverReport& v) {
  a("path", v.path); a("outcome", v.outcome); a("detail", v.detail); a("last_step", v.last_step); a("loaded", v.loaded);
  a("load_error", v.load_error); a("driver_version", v.driver_version); a("init_code", v.init_code);
  a("device_count", v.device_count); a("count_code", v.count_code); a("devices", v.devices);
  a("device_count_unmasked", v.device_count_unmasked); a("nvml", v.nvml);
}
template <class A> void describe(A& a, PythonPackage& v) {
  a("name", v.name); a("version", v.version); a("location", v.location); a("site", v.site); a("installer", v.installer);
  a("direct_url", v.direct_url); a("editable", v.editable); a("conda_build", v.conda_build); a("conda_channel", v.conda_channel);
  a("metadata_read", v.metadata_read); a("requires_dist", v.requires_dist); a("requires_python", v.requires_python);
  a("wheel_tags", v.wheel_tags); a("extras", v.extras);
}
template <class A> void describe(A& a, SearchFolder& v) { a("path", v.path); a("origin", v.origin); a("exists", v.exists); }
template <class A> void describe(A& a, ImportCandidate& v) { a("module", v.module); a("path", v.path); a("kind", v.kind); a("folder", v.folder); }
template <class A> void describe(A& a, PythonEnvironment& v) {
  a("id", v.id); a("path", v.path); a("kind", v.kind); a("found_by", v.found_by); a("active", v.active);
  a("executable", v.executable); a("real_executable", v.real_executable); a("version", v.version);
  a("implementation", v.implementation); a("free_threaded", v.free_threaded); a("machine", v.machine);
  a("base_prefix", v.base_prefix); a("system_site_packages", v.system_site_packages); a("externally_managed", v.externally_managed);
  a("ensurepip", v.ensurepip); a("search_path", v.search_path);
  a("packages", v.packages); a("imports", v.imports); a("leftovers", v.leftovers); a("pth_code", v.pth_code);
  a("customizers", v.customizers); a("problems", v.problems);
}
template <class A> void describe(A& a, SystemFacts& v) {
  a("family", v.family); a("name", v.name); a("distribution", v.distribution); a("distribution_version", v.distribution_version);
  a("kernel", v.kernel); a("architecture", v.architecture); a("libc", v.libc); a("kind", v.kind); a("kind_source", v.kind_source);
  a("container", v.container); a("hypervisor", v.hypervisor); a("cpu_flags", v.cpu_flags); a("cpu_name", v.cpu_name);
  a("secure_boot", v.secure_boot);
}
template <class A> void describe(A& a, DisplayAdapter& v) {
  a("name", v.name); a("vendor", v.vendor); a("device", v.device); a("driver_version", v.driver_version); a("driver_date", v.driver_date);
  a("provider", v.provider); a("memory_bytes", v.memory_bytes); a("problem", v.problem);
}
template <class A> void describe(A& a, GraphicsAdapter& v) {
  a("name", v.name); a("vendor", v.vendor); a("device", v.device); a("dedicated_memory", v.dedicated_memory);
  a("shared_memory", v.shared_memory); a("luid", v.luid); a("software", v.software); a("driver_version", v.driver_version);
}
template <class A> void describe(A& a, WindowsFacts& v) {
  a("build", v.build); a("release", v.release); a("windows_folder", v.windows_folder); a("system_folder", v.system_folder);
  a("long_paths", v.long_paths); a("safe_dll_search", v.safe_dll_search); a("known_dlls", v.known_dlls); a("user_path", v.user_path);
  a("machine_path", v.machine_path); a("cpp_runtime", v.cpp_runtime); a("firmware_virtualization", v.firmware_virtualization);
  a("features", v.features); a("adapters", v.adapters); a("graphics_adapters", v.graphics_adapters);
}
template <class A> void describe(A& a, PciGpu& v) {
  a("address", v.address); a("vendor", v.vendor); a("device", v.device); a("subsystem_vendor", v.subsystem_vendor);
  a("subsystem_device", v.subsystem_device); a("driver", v.driver); a("name", v.name); a("power_state", v.power_state);
  a("boot_display", v.boot_display);
}
template <class A> void describe(A& a, DeviceNode& v) { a("path", v.path); a("usable", v.usable); a("detail", v.detail); }
template <class A> void describe(A& a, DriverFacts& v) {
  a("module_version", v.module_version); a("module_flavour", v.module_flavour); a("loaded_modules", v.loaded_modules);
  a("module_file_for_kernel", v.module_file_for_kernel); a("nodes", v.nodes); a("libcuda_files", v.libcuda_files); a("windows_packages", v.windows_packages);
  a("smi_program", v.smi_program); a("smi_text", v.smi_text); a("smi_driver_version", v.smi_driver_version); a("reports", v.reports);
}
template <class A> void describe(A& a, WslSetting& v) { a("key", v.key); a("value", v.value); a("line", v.line); }
template <class A> void describe(A& a, WslConfigProblem& v) { a("kind", v.kind); a("key", v.key); a("detail", v.detail); a("line", v.line); }
template <class A> void describe(A& a, WslConfig& v) {
  a("path", v.path); a("encoding", v.encoding); a("settings", v.settings); a("problems", v.problems);
}
template <class A> void describe(A& a, WslDistribution& v) {
  a("name", v.name); a("guid", v.guid); a("version", v.version); a("state", v.state); a("is_default", v.is_default); a("folder", v.folder);
  a("disk", v.disk); a("disk_exists", v.disk_exists); a("package", v.package); a("flavour", v.flavour); a("release", v.release);
  a("user", v.user); a("looked", v.looked); a("inside", v.inside);
}
template <class A> void describe(A& a, WslFacts& v) {
  a("program", v.program); a("path", v.path); a("version", v.version); a("kernel", v.kernel); a("answer", v.answer);
  a("asks_for_virtualization", v.asks_for_virtualization); a("asks_for_kernel", v.asks_for_kernel);
  a("default_distribution", v.default_distribution); a("default_version", v.default_version); a("allowed", v.allowed); a("config", v.config);
  a("other_configs", v.other_configs); a("windows_libraries", v.windows_libraries); a("distributions", v.distributions);
}
template <class A> void describe(A& a, WindowsAround& v) {
  a("drive", v.drive); a("profile", v.profile); a("config", v.config); a("distribution_config", v.distribution_config);
  a("driver_versions", v.driver_versions);
}
template <class A> void describe(A& a, ProbeOutcome& v) { a("id", v.id); a("outcome", v.outcome); a("detail", v.detail); a("ms", v.ms); }
template <class A> void describe(A& a, Snapshot& v) {
  a("taken_by", v.taken_by); a("taken_on", v.taken_on); a("root", v.root); a("live", v.live);
  a("current_folder", v.current_folder); a("home_folder", v.home_folder); a("system", v.system); a("windows", v.windows); a("wsl", v.wsl); a("around", v.around); a("pci_gpus", v.pci_gpus);
  a("driver", v.driver); a("variables", v.variables); a("environments", v.environments); a("loader_cache", v.loader_cache);
  a("loader_folders", v.loader_folders); a("binaries", v.binaries); a("folders", v.folders); a("symbol_checks", v.symbol_checks); a("import_checks", v.import_checks); a("gpu_code", v.gpu_code);
  a("texts", v.texts); a("needles", v.needles); a("probes", v.probes);
}

/// Words of the enumerations, in the order of their values.
template <class E> struct EnumWords;
template <> struct EnumWords<Source::Kind> { static constexpr const char* words[] = {"none", "file", "folder", "variable", "command", "library-call", "registry", "table", "derived"}; };
template <> struct EnumWords<FactState> { static constexpr const char* words[] = {"undetermined", "absent", "known"}; };
template <> struct EnumWords<ElfClass> { static constexpr const char* words[] = {"other", "elf32", "elf64"}; };
template <> struct EnumWords<BinaryView::Outcome> { static constexpr const char* words[] = {"elf", "pe", "missing", "denied", "not-regular", "too-short", "other-format", "malformed", "unreadable", "link-loop"}; };
template <> struct EnumWords<FolderView::Outcome> { static constexpr const char* words[] = {"listed", "missing", "denied", "not-folder", "unreadable"}; };
template <> struct EnumWords<GpuCodeSummary::Row::Kind> { static constexpr const char* words[] = {"machine-code", "ptx", "lto", "other"}; };
template <> struct EnumWords<SymbolCheck::Outcome> { static constexpr const char* words[] = {"looked", "unreadable"}; };
template <> struct EnumWords<ImportCheck::Outcome> { static constexpr const char* words[] = {"looked", "unreadable"}; };
template <> struct EnumWords<DriverReport::Outcome> { static constexpr const char* words[] = {"finished", "timed-out", "crashed", "failed", "not-asked"}; };
template <> struct EnumWords<ImportCandidate::Kind> { static constexpr const char* words[] = {"package", "file", "extension", "namespace-folder", "zipped"}; };
template <> struct EnumWords<ErrorCode> { static constexpr const char* words[] = {"not-found", "access-denied", "malformed", "unsupported", "too-large", "timed-out", "crashed", "tool-failed", "not-looked", "cancelled", "io-error", "internal"}; };

}  // namespace gpuway
