#include "sense/probes/nvidia_smi.h"
#include "unit/probes/fixture.h"

namespace gpuway {
namespace {

Snapshot snapshot_of(const Host& host) {
  Snapshot snapshot;
  collect_system(host, snapshot);
  collect_pci_gpus(host, snapshot);
  collect_driver(host, snapshot);
  return snapshot;
}

Snapshot snapshot_of(std::string_view json) { return snapshot_of(FixtureHost(machine_of(json))); }

const DeviceNode* node_of(const Snapshot& snapshot, std::string_view path) {
  for (const auto& node : snapshot.driver.nodes) {
    if (node.path == path) return &node;
  }
  return nullptr;
}

TEST(PciProbe, display_controllers_of_every_vendor_are_listed_and_nothing_else_is) {
  const auto snapshot = snapshot_of(R"({
    "files": {
      "/sys/bus/pci/devices/0000:00:02.0/class": "0x030000\n", "/sys/bus/pci/devices/0000:00:02.0/vendor": "0x8086\n",
      "/sys/bus/pci/devices/0000:00:1f.3/class": "0x040300\n", "/sys/bus/pci/devices/0000:00:1f.3/vendor": "0x10de\n",
      "/sys/bus/pci/devices/0000:01:00.0/class": "0x030200\n", "/sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n",
      "/sys/bus/pci/devices/0000:01:00.0/device": "0x2503\n", "/sys/bus/pci/devices/0000:01:00.0/boot_vga": "1\n",
      "/sys/bus/pci/devices/0000:01:00.0/power/runtime_status": "suspended\n"},
    "links": {"/sys/bus/pci/devices/0000:01:00.0/driver": "../../../../bus/pci/drivers/nouveau"}})");
  ASSERT_TRUE(snapshot.pci_gpus.is_known());
  ASSERT_EQ(snapshot.pci_gpus->size(), 2U);
  const auto& gpu = snapshot.pci_gpus->at(1);
  EXPECT_EQ(gpu.address, "0000:01:00.0");
  EXPECT_EQ(gpu.vendor, 0x10de);
  EXPECT_EQ(gpu.device, 0x2503);
  EXPECT_EQ(gpu.driver, "nouveau");
  EXPECT_EQ(gpu.power_state, "suspended");
  EXPECT_TRUE(gpu.boot_display);
  EXPECT_NE(gpu.name.find("RTX 3060"), std::string::npos);
  EXPECT_EQ(snapshot.pci_gpus->at(0).driver, "");
}

TEST(PciProbe, no_bus_an_empty_bus_and_a_denied_bus_are_three_answers) {
  EXPECT_TRUE(snapshot_of("{}").pci_gpus.is_absent());
  const auto empty = snapshot_of(R"({"folders": ["/sys/bus/pci/devices"]})");
  EXPECT_TRUE(empty.pci_gpus.is_known());
  EXPECT_TRUE(empty.pci_gpus->empty());
  EXPECT_TRUE(snapshot_of(R"({"folders": ["/sys/bus/pci/devices"], "denied": ["/sys/bus/pci/devices"]})")
                  .pci_gpus.is_undetermined());
}

TEST(DriverProbe, the_loaded_module_is_read_from_proc_or_from_sys) {
  const auto proc = snapshot_of(R"({"files": {"/proc/driver/nvidia/version":
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  565.57.01  Release Build  (dvs-builder@U16)  Thu Oct 10 12:29:05 UTC 2024\n"}})");
  EXPECT_EQ(proc.driver.module_version.value_or(""), "565.57.01");
  EXPECT_EQ(proc.driver.module_flavour.value_or(""), "open");
  const auto sys = snapshot_of(R"({"files": {"/sys/module/nvidia/version": "550.54.14\n"}})");
  EXPECT_EQ(sys.driver.module_version.value_or(""), "550.54.14");
  EXPECT_TRUE(snapshot_of("{}").driver.module_version.is_absent());
  EXPECT_TRUE(snapshot_of(R"({"files": {"/proc/driver/nvidia/version": "something else\n"}})")
                  .driver.module_version.is_undetermined());
}

TEST(DriverProbe, a_module_for_the_running_kernel_is_found_where_distributions_put_it) {
  for (const auto* place :
       {"updates/dkms/nvidia.ko", "updates/dkms/nvidia-current.ko.xz", "extra/nvidia.ko.xz",
        "kernel/drivers/video/nvidia.ko", "extra/nvidia-open/nvidia.ko.zst", "kernel/nvidia-550/nvidia.ko"}) {
    const auto found =
        snapshot_of(std::string(R"({"files": {"/proc/sys/kernel/osrelease": "6.1.0\n", "/lib/modules/6.1.0/)") + place +
                    R"(": ""}})");
    EXPECT_TRUE(found.driver.module_file_for_kernel.value_or(false)) << place;
  }
  const auto other = snapshot_of(
      R"({"files": {"/proc/sys/kernel/osrelease": "6.1.0\n", "/lib/modules/6.0.9/updates/dkms/nvidia.ko": "", "/lib/modules/6.1.0/modules.dep": ""}})");
  EXPECT_TRUE(other.driver.module_file_for_kernel.is_known());
  EXPECT_FALSE(*other.driver.module_file_for_kernel);
  EXPECT_TRUE(
      snapshot_of(R"({"files": {"/proc/sys/kernel/osrelease": "6.1.0\n"}})").driver.module_file_for_kernel.is_absent());
}

TEST(DriverProbe, loaded_modules_that_matter_are_listed) {
  const auto snapshot =
      snapshot_of(R"({"folders": ["/sys/module/nvidia_uvm", "/sys/module/nouveau", "/sys/module/ext4"]})");
  EXPECT_EQ(snapshot.driver.loaded_modules, (std::vector<std::string>{"nvidia_uvm", "nouveau"}));
}

TEST(DriverProbe, a_node_is_usable_refused_or_not_there) {
  const auto snapshot = snapshot_of(
      R"({"nodes": {"/dev/nvidia0": {"mode": "0660", "group": 44, "opens": false}, "/dev/nvidia1": {"mode": "0666"},
                    "/dev/nvidiactl": {"mode": "0666", "opens": false}}, "folders": ["/dev/nvidia-caps"]})");
  const auto* own = node_of(snapshot, "/dev/nvidia0");
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->usable.value, false);
  EXPECT_EQ(own->detail, "mode 0660, owner 0, group 44");
  EXPECT_EQ(node_of(snapshot, "/dev/nvidia1")->usable.value, true);
  EXPECT_NE(node_of(snapshot, "/dev/nvidiactl")->detail.find("refused by the control group"), std::string::npos);
  EXPECT_TRUE(node_of(snapshot, "/dev/nvidia-uvm")->usable.is_absent());
  EXPECT_EQ(node_of(snapshot, "/dev/nvidia-caps"), nullptr);
}

TEST(DriverProbe, windows_driver_packages_are_asked_inside_wsl_2_only) {
  const std::string wsl = R"("files": {"/proc/sys/kernel/osrelease": "5.15.0-microsoft-standard-WSL2\n"})";
  const auto with = [&](const std::string& folders) {
    return snapshot_of("{" + wsl + ", \"folders\": [" + folders + "]}").driver.windows_packages;
  };
  const auto nvidia =
      with(R"("/usr/lib/wsl/drivers/nv_dispi.inf_amd64_0a", "/usr/lib/wsl/drivers/iigd_dch.inf_amd64_1f")");
  ASSERT_TRUE(nvidia.is_known());
  EXPECT_EQ(*nvidia, std::vector<std::string>{"nv_dispi.inf_amd64_0a"});
  const auto intel = with(R"("/usr/lib/wsl/drivers/iigd_dch.inf_amd64_1f", "/usr/lib/wsl/drivers/nvme.amd64")");
  ASSERT_TRUE(intel.is_known());
  EXPECT_TRUE(intel->empty());
  EXPECT_TRUE(with("\"/tmp\"").is_absent());
  EXPECT_TRUE(snapshot_of(R"({"folders": ["/usr/lib/wsl/drivers/nv_dispi.inf_amd64_0a"]})")
                  .driver.windows_packages.is_undetermined());
}

Snapshot with_smi(std::string_view program) {
  const FixtureHost host(machine_of(
      std::string(R"({"files": {"/usr/bin/nvidia-smi": {"mode": "0755"}}, "programs": {"/usr/bin/nvidia-smi": )") +
      std::string(program) + "}}"));
  auto snapshot = snapshot_of(host);
  EXPECT_EQ(snapshot.driver.smi_program, "/usr/bin/nvidia-smi");
  ask_nvidia_smi(host, std::chrono::milliseconds(5000), snapshot);
  EXPECT_TRUE(host.unexpected().empty());
  return snapshot;
}

TEST(NvidiaSmiProbe, what_it_answers_and_how_it_fails_are_told_apart) {
  const auto told =
      with_smi(R"({"out": ["+---+", "| NVIDIA-SMI 550.54.14    Driver Version: 550.54.14    CUDA Version: 12.4 |"]})");
  EXPECT_EQ(told.driver.smi_driver_version.value_or(""), "550.54.14");
  const auto failed = with_smi(
      R"({"out": ["NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."], "exit_code": 9})");
  EXPECT_NE(failed.driver.smi_text.value_or("").find("exit code 9"), std::string::npos);
  EXPECT_TRUE(failed.driver.smi_driver_version.is_absent());
  const auto hangs = with_smi(R"({"fault": "timed-out"})");
  EXPECT_EQ(hangs.driver.smi_text.reason, ErrorCode::timed_out);
  EXPECT_EQ(hangs.probes.back().outcome, "timed-out");
  EXPECT_EQ(with_smi(R"({"out": "x", "exit_code": 139})").driver.smi_text.reason, ErrorCode::crashed);
  EXPECT_EQ(with_smi(R"({"out": "hello\n"})").driver.smi_text.reason, ErrorCode::malformed);
}

TEST(NvidiaSmiProbe, a_file_that_may_not_run_and_a_relative_folder_are_passed_over) {
  const FixtureHost host(machine_of(
      R"({"files": {"/opt/a/nvidia-smi": {"mode": "0644"}, "/opt/b/nvidia-smi": {"mode": "0755"}, "/root/bin/nvidia-smi": {"mode": "0755"}},
          "environment": {"PATH": "bin:/opt/a:/opt/b"}})"));
  EXPECT_EQ(find_nvidia_smi(host), "/opt/b/nvidia-smi");
}

}  // namespace
}  // namespace gpuway
