#include "sense/probes/windows/windows_processor.h"

#include "sense/probes/windows/windows_system.h"
#include "unit/probes/fixture.h"

namespace gpuway {
namespace {

Snapshot snapshot_of(const std::string& processor, const std::string& registry = "{}") {
  const FixtureHost host(machine_of(R"({"system": "windows", "environment": {"PROCESSOR_ARCHITECTURE": "AMD64"}, "registry": )" + registry +
                                    (processor.empty() ? "" : R"(, "processor": )" + processor) + "}"));
  Snapshot snapshot;
  collect_windows_system(host, snapshot);
  EXPECT_TRUE(host.unexpected().empty());
  return snapshot;
}

const std::string kVmware = R"({"HKLM/HARDWARE/DESCRIPTION/System/BIOS": {"SystemManufacturer": "VMware, Inc.", "SystemProductName": "VMware7,1"}})";

TEST(WindowsProcessor, a_windows_with_a_hypervisor_of_its_own_is_no_virtual_machine) {
  const auto snapshot = snapshot_of(R"({"flags": ["hypervisor"], "hypervisor": "Microsoft Hv", "root_partition": true})");
  EXPECT_EQ(snapshot.system.kind, "bare");
  EXPECT_TRUE(snapshot.system.hypervisor.is_absent());
  EXPECT_EQ(snapshot.windows->firmware_virtualization.value, true);
}

TEST(WindowsProcessor, a_guest_is_a_virtual_machine_and_does_not_know_the_firmware) {
  const auto snapshot = snapshot_of(R"({"flags": ["hypervisor"], "hypervisor": "Microsoft Hv"})");
  EXPECT_EQ(snapshot.system.kind, "vm");
  EXPECT_EQ(*snapshot.system.hypervisor, "hyperv");
  EXPECT_TRUE(snapshot.windows->firmware_virtualization.is_undetermined());
  EXPECT_EQ(*snapshot_of(R"({"hypervisor": "KVMKVMKVM"})").system.hypervisor, "kvm");
  EXPECT_EQ(*snapshot_of(R"({"hypervisor": "SomethingNew"})").system.hypervisor, "unknown");
}

TEST(WindowsProcessor, the_firmware_betrays_a_guest_that_runs_a_hypervisor_itself) {
  const auto snapshot = snapshot_of(R"({"hypervisor": "Microsoft Hv", "root_partition": true})", kVmware);
  EXPECT_EQ(snapshot.system.kind, "vm");
  EXPECT_EQ(*snapshot.system.hypervisor, "vmware");
}

TEST(WindowsProcessor, without_a_hypervisor_windows_itself_knows_the_firmware) {
  EXPECT_EQ(snapshot_of(R"({"virtualization": true})").windows->firmware_virtualization.value, true);
  EXPECT_EQ(snapshot_of(R"({"virtualization": false})").windows->firmware_virtualization.value, false);
}

TEST(WindowsProcessor, what_cannot_be_asked_is_undetermined) {
  const auto snapshot = snapshot_of("");
  EXPECT_TRUE(snapshot.system.cpu_flags.is_undetermined());
  EXPECT_EQ(snapshot.system.kind, "undetermined");
  EXPECT_TRUE(snapshot.windows->firmware_virtualization.is_undetermined());
}

TEST(WindowsProcessor, an_emulated_program_finds_the_machines_own_architecture) {
  const auto snapshot = snapshot_of(R"({"flags": ["sse2"]})",
                                    R"({"HKLM/SYSTEM/CurrentControlSet/Control/Session Manager/Environment": {"PROCESSOR_ARCHITECTURE": "ARM64"}})");
  EXPECT_EQ(*snapshot.system.architecture, "aarch64");
  EXPECT_EQ(snapshot.system.kind, "undetermined");
  EXPECT_EQ(snapshot.system.cpu_flags.value_or({}), std::vector<std::string>{"sse2"});
}

}  // namespace
}  // namespace gpuway
