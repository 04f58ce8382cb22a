#include "sense/probes/system.h"

#include "sense/probes/home_folder.h"
#include "unit/probes/fixture.h"

namespace gpuway {
namespace {

SystemFacts system_of(std::string_view json) {
  const FixtureHost host(machine_of(json));
  Snapshot snapshot;
  collect_system(host, snapshot);
  EXPECT_TRUE(host.unexpected().empty());
  return snapshot.system;
}

// What /proc/1/cgroup holds, and the engine that it names.
TEST(SystemProbe, the_first_process_control_group_names_the_container) {
  const std::pair<const char*, const char*> rows[] = {
      {"0::/kubepods.slice/kubepods-burstable.slice/pod1/cri-containerd-a.scope", "kubernetes"},
      {"12:devices:/docker/0123456789ab", "docker"},
      {"0::/system.slice/docker-0123456789ab.scope", "docker"},
      {"0::/user.slice/user-1000.slice/libpod-0123.scope", "podman"},
      {"0::/lxc.payload.web/init.scope", "lxc"},
      {"0::/machine.slice/systemd-nspawn@web.service/payload", "nspawn"},
  };
  for (const auto& [text, engine] : rows) {
    const auto system = system_of(std::string(R"({"files": {"/proc/1/cgroup": ")") + text + R"("}})");
    EXPECT_EQ(system.container.value_or(""), engine) << text;
    EXPECT_EQ(system.kind, "container") << text;
  }
}

TEST(SystemProbe, a_machine_of_its_own_is_in_no_container) {
  for (const auto* text : {"0::/init.scope", "1:name=systemd:/", "0::/"}) {
    const auto system = system_of(std::string(R"({"files": {"/proc/1/cgroup": ")") + text + R"("}})");
    EXPECT_TRUE(system.container.is_absent()) << text;
  }
}

TEST(SystemProbe, engines_are_known_by_the_files_they_leave) {
  EXPECT_EQ(*system_of(R"({"files": {"/.dockerenv": ""}})").container, "docker");
  EXPECT_EQ(*system_of(R"({"files": {"/run/.containerenv": ""}})").container, "podman");
  EXPECT_EQ(*system_of(R"({"folders": ["/.singularity.d"]})").container, "singularity");
  EXPECT_EQ(*system_of(R"({"folders": ["/var/run/secrets/kubernetes.io"]})").container, "kubernetes");
  EXPECT_EQ(*system_of(R"({"environment": {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}})").container, "kubernetes");
  EXPECT_EQ(*system_of(R"({"files": {"/run/systemd/container": "lxc\n"}})").container, "lxc");
  EXPECT_EQ(*system_of("{\"files\": {\"/proc/1/environ\": \"A=b\\u0000container=lxc\\u0000\"}}").container, "lxc");
}

TEST(SystemProbe, a_wsl_distribution_made_from_a_container_image_is_no_container) {
  const auto system = system_of(
      R"({"files": {"/.dockerenv": "", "/proc/sys/kernel/osrelease": "5.15.167.4-microsoft-standard-WSL2\n"}, "folders": ["/run/WSL"]})");
  EXPECT_TRUE(system.container.is_absent());
  EXPECT_EQ(system.kind, "wsl2");
}

TEST(SystemProbe, a_container_inside_wsl_is_both) {
  const auto system = system_of(
      R"({"files": {"/.dockerenv": "", "/proc/sys/kernel/osrelease": "5.15.167.4-microsoft-standard-WSL2\n"}})");
  EXPECT_EQ(system.container.value_or(""), "docker");
  EXPECT_EQ(system.kind, "wsl2");
}

TEST(SystemProbe, the_kernel_tells_wsl_1_from_wsl_2) {
  const std::tuple<const char*, const char*, const char*> rows[] = {
      {"4.4.0-19041-Microsoft", "", "wsl1"},
      {"5.10.102.1-microsoft-standard-WSL2", "", "wsl2"},
      {"4.19.128-microsoft-standard", "", "wsl2"},
      {"6.6.36-microsoft-custom", R"(, "nodes": {"/dev/dxg": {}})", "wsl2"},  // a kernel somebody built
      {"6.6.36-microsoft-custom", R"(, "folders": ["/run/WSL"])", "wsl2"},
  };
  for (const auto& [kernel, more, kind] : rows) {
    const auto system =
        system_of(std::string(R"({"files": {"/proc/sys/kernel/osrelease": ")") + kernel + "\\n\"}" + more + "}");
    EXPECT_EQ(system.kind, kind) << kernel << more;
  }
}

TEST(SystemProbe, a_guest_is_a_virtual_machine_and_what_nobody_tells_stays_open) {
  EXPECT_EQ(
      system_of(R"({"files": {"/sys/class/dmi/id/sys_vendor": "QEMU\n", "/proc/1/cgroup": "0::/init.scope"}})").kind,
      "vm");
  EXPECT_EQ(system_of(R"({"files": {"/proc/cpuinfo": "flags\t: fpu hypervisor\n"}})").kind, "vm");
  EXPECT_EQ(system_of(R"({"files": {"/proc/cpuinfo": "flags\t: fpu avx\n"}})").kind, "bare");
  EXPECT_EQ(system_of("{}").kind, "undetermined");
}

TEST(SystemProbe, secure_boot_is_the_fifth_byte_of_its_variable) {
  const auto with = [](const char* hex) {
    return system_of(std::string(R"({"files": {"/sys/firmware/efi/efivars/SecureBoot-8be4df61": {"hex": ")") + hex +
                     "\"}}}")
        .secure_boot;
  };
  EXPECT_EQ(with("0600000001").value, true);
  EXPECT_EQ(with("0600000000").value, false);
  EXPECT_FALSE(with("0600").is_known());                 // cut off
  EXPECT_TRUE(system_of("{}").secure_boot.is_absent());  // no EFI
}

TEST(SystemProbe, a_denied_file_leaves_the_fact_undetermined) {
  const auto system = system_of(R"({"files": {"/etc/os-release": {"text": "ID=debian", "fault": "access-denied"}}})");
  EXPECT_TRUE(system_of(R"({"files": {"/proc/cpuinfo": {"fault": "access-denied"}}})").cpu_flags.is_undetermined());
  EXPECT_FALSE(system.distribution.is_known());
}

TEST(SystemProbe, secrets_and_strangers_among_the_variables_are_not_taken) {
  const FixtureHost host(machine_of(
      R"({"environment": {"CUDA_VISIBLE_DEVICES": "0", "TF_TOKEN": "x", "CONDA_PASSWORD": "x", "NVIDIA_API_KEY": "x", "EDITOR": "vi", "LD_LIBRARY_PATH": ""}})"));
  Snapshot snapshot;
  collect_variables(host, snapshot);
  EXPECT_EQ(snapshot.variables,
            (std::map<std::string, std::string>{{"CUDA_VISIBLE_DEVICES", "0"}, {"LD_LIBRARY_PATH", ""}}));
}

std::optional<std::string> home_of(std::string_view json) { return home_folder(FixtureHost(machine_of(json))); }

TEST(HomeFolder, is_what_the_variable_says_also_when_that_is_nothing) {
  EXPECT_EQ(home_of(R"({"environment": {"HOME": "/home/ada"}})"), "/home/ada");
  EXPECT_EQ(home_of(R"({"environment": {"HOME": ""}})"), "");
}

TEST(HomeFolder, comes_from_the_user_database_where_no_variable_is_set) {
  constexpr auto with_users = R"({"files": {"/proc/self/status": "Name:\tgpuway\nUid:\t1000\t0\t0\t0\n",
                                            "/etc/passwd": "root:x:0:0::/root:/bin/sh\nada:x:1000:1000:Ada:/home/ada:/bin/sh\n"}})";
  EXPECT_EQ(home_of(with_users), "/home/ada");
  EXPECT_EQ(home_of(R"({"files": {"/proc/self/status": "Uid:\t7\t7\t7\t7\n", "/etc/passwd": "root:x:0:0::/root:/bin/sh\nbroken\n"}})"),
            std::nullopt);
  EXPECT_EQ(home_of("{}"), std::nullopt);
}

}  // namespace
}  // namespace gpuway
