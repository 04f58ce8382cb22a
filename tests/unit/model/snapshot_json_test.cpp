#include "think/model/snapshot_json.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

Snapshot full_snapshot() {
  Snapshot snapshot;
  snapshot.taken_by = "0.1.0";
  snapshot.system.kernel = Fact<std::string>::known("6.1", {Source::Kind::file, "/proc/sys/kernel/osrelease"});
  snapshot.system.container = Fact<std::string>::absent({Source::Kind::file, "/.dockerenv"});
  snapshot.pci_gpus = Fact<std::vector<PciGpu>>::undetermined(ErrorCode::access_denied, "open folder", {});
  snapshot.variables["LD_LIBRARY_PATH"] = std::string("/a\xff:/b\n", 7);
  BinaryView view;
  view.outcome = BinaryView::Outcome::elf;
  view.elf.emplace();
  view.elf->needed = {"libc.so.6"};
  view.elf->runpath = "$ORIGIN";
  snapshot.binaries["/x/\x80.so"] = view;
  DriverReport report;
  report.outcome = DriverReport::Outcome::finished;
  report.init_code = 100;
  snapshot.driver.reports["/lib/libcuda.so.1"] = report;
  PythonEnvironment environment;
  environment.id = "e1";
  environment.machine = Fact<std::uint16_t>::known(62, {});
  snapshot.environments.push_back(environment);
  auto& wsl = snapshot.wsl.emplace();
  wsl.config = Fact<WslConfig>::known({"C:/Users/ada/.wslconfig", "utf-8", {{"wsl2.memory", "8GB", 2}}, {{"bad-value", "wsl2.swap", "8 GB", 3}}}, {});
  WslDistribution distribution;
  distribution.name = "Debian";
  distribution.version = 2;
  distribution.looked = Fact<std::string>::known("program", {});
  distribution.inside.emplace_back();
  distribution.inside.back().system.kind = "wsl2";
  distribution.inside.back().around.emplace().drive = "/mnt/c";
  wsl.distributions.push_back(distribution);
  return snapshot;
}

TEST(SnapshotJson, what_was_written_reads_back_as_the_same_bytes) {
  const auto text = snapshot_to_json(full_snapshot());
  const auto read = snapshot_from_json(text);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(snapshot_to_json(*read), text);
  EXPECT_EQ(read->variables.at("LD_LIBRARY_PATH"), std::string("/a\xff:/b\n", 7));
  EXPECT_EQ(read->binaries.at("/x/\x80.so").elf->runpath, "$ORIGIN");
  EXPECT_EQ(read->driver.reports.at("/lib/libcuda.so.1").init_code, 100);
  EXPECT_TRUE(read->system.container.is_absent());
  EXPECT_EQ(read->pci_gpus.reason, ErrorCode::access_denied);
  EXPECT_EQ(read->wsl->config->problems, full_snapshot().wsl->config->problems);
  EXPECT_EQ(read->wsl->distributions.at(0).inside.at(0).around->drive, "/mnt/c");
}

TEST(SnapshotJson, a_fault_names_its_place) {
  const auto fault = [](const char* text) {
    const auto read = snapshot_from_json(text);
    return read ? std::string("no fault") : read.error().text();
  };
  EXPECT_EQ(fault("["), "malformed: no JSON: byte 2");
  EXPECT_EQ(fault("{}"), "malformed: schema: missing, expected \"gpuway.snapshot/1\"");
  EXPECT_EQ(fault(R"({"schema":"gpuway.snapshot/9"})"), "unsupported: schema: \"gpuway.snapshot/9\", expected \"gpuway.snapshot/1\"");
  EXPECT_EQ(fault(R"({"schema":"gpuway.snapshot/1","environments":[{"id":5}]})"), "malformed: environments/0/id: expected text");
  EXPECT_EQ(fault(R"({"schema":"gpuway.snapshot/1","pci_gpus":{"state":"known"}})"),
            "malformed: pci_gpus: a known fact needs a value, any other has none");
}

TEST(SnapshotJson, a_document_cut_at_any_length_is_refused) {
  const auto text = snapshot_to_json(full_snapshot());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_FALSE(snapshot_from_json(std::string_view(text).substr(0, length))) << length;
  }
}

}  // namespace
}  // namespace gpuway
