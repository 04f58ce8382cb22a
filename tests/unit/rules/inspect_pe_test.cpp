#include <gtest/gtest.h>

#include <algorithm>

#include "base/path.h"
#include "think/rules/inspect.h"

namespace gpuway {
namespace {

constexpr std::uint16_t kX64 = 0x8664, kDll = 0x2000;

/// A program C:/app/p.exe and DLLs in C:/lib, on a Windows or elsewhere.
class InspectPe : public testing::Test {
 protected:
  explicit InspectPe() {
    snapshot_.windows.emplace();
    snapshot_.windows->windows_folder = "C:/Windows";
    snapshot_.windows->system_folder = "C:/Windows/System32";
    snapshot_.windows->known_dlls = Fact<std::vector<std::string>>::known({}, {});
    snapshot_.current_folder = "C:/work";
    for (const auto* folder : {"C:/app", "C:/work", "C:/lib", "C:/Windows", "C:/Windows/System", "C:/Windows/System32"}) {
      snapshot_.folders[folder].outcome = FolderView::Outcome::listed;
    }
    file("C:/app/p.exe").characteristics = 0;
  }

  PeSummary& file(const std::string& path, std::vector<std::string> imports = {}) {
    snapshot_.folders[parent_path(path)].names.emplace_back(file_name(path));
    auto& view = snapshot_.binaries[path];
    view.outcome = BinaryView::Outcome::pe;
    view.file_size = 4096;
    view.pe.emplace();
    view.pe->machine = kX64;
    view.pe->is_64 = true;
    view.pe->characteristics = kDll;
    view.pe->imports = std::move(imports);
    snapshot_.gpu_code[path] = Fact<GpuCodeSummary>::known({}, {});
    return *view.pe;
  }
  void fits(const std::string& importer, const std::string& library, const std::string& exporter) {
    ImportCheck check;
    check.importer = importer;
    check.library = library;
    check.exporter = exporter;
    check.outcome = ImportCheck::Outcome::looked;
    snapshot_.import_checks[check.key()] = check;
  }
  InspectedFile inspect(const std::string& path) {
    Wants wants;
    return inspect_files(snapshot_, {{path}, "C:/app/p.exe"}, wants).front();
  }
  static std::string state_of(const InspectedFile& file, std::string_view name) {
    const auto found = std::find_if(file.needs.begin(), file.needs.end(), [&](const auto& need) { return need.name == name; });
    return found == file.needs.end() ? "" : found->state + " " + found->path;
  }

  Snapshot snapshot_;
};

TEST_F(InspectPe, needs_beside_the_file_are_found_there) {
  file("C:/lib/top.dll", {"mid.dll"});
  file("C:/lib/mid.dll");
  fits("C:/lib/top.dll", "mid.dll", "C:/lib/mid.dll");
  const auto found = inspect("C:/lib/top.dll");
  EXPECT_EQ(found.kind, "library");
  EXPECT_EQ(found.machine, "x86-64");
  EXPECT_EQ(found.loads, Verdict::yes);
  EXPECT_EQ(state_of(found, "mid.dll"), "found C:/lib/mid.dll");
}

TEST_F(InspectPe, everything_missing_is_named_at_any_depth) {
  file("C:/lib/top.dll", {"mid.dll", "gone_1.dll"});
  file("C:/lib/mid.dll", {"gone_2.dll"});
  fits("C:/lib/top.dll", "mid.dll", "C:/lib/mid.dll");
  const auto found = inspect("C:/lib/top.dll");
  EXPECT_EQ(found.loads, Verdict::no);
  EXPECT_EQ(state_of(found, "gone_1.dll"), "not-found ");
  EXPECT_EQ(state_of(found, "gone_2.dll"), "not-found ");
  EXPECT_EQ(state_of(found, "mid.dll"), "found C:/lib/mid.dll");
}

TEST_F(InspectPe, elsewhere_than_on_windows_needs_are_told_and_not_looked_up) {
  snapshot_.windows.reset();
  file("C:/lib/top.dll", {"cudart64_12.dll", "api-ms-win-crt-heap-l1-1-0.dll"});
  auto& view = snapshot_.binaries["C:/lib/top.dll"];
  view.outcome = BinaryView::Outcome::other_format;
  view.detail = "pe";
  const auto found = inspect("C:/lib/top.dll");
  EXPECT_EQ(found.kind, "library");
  EXPECT_EQ(found.loads, Verdict::undetermined);
  EXPECT_EQ(state_of(found, "cudart64_12.dll"), "not-settled ");
  EXPECT_EQ(found.needs.size(), 1U);
  EXPECT_EQ(found.driver.lowest, "528.33");   // of Windows, not of Linux
}

TEST_F(InspectPe, the_driver_is_that_of_windows) {
  const auto lowest = [](const std::string& name) { return lowest_windows_driver({{name, "C:/a", true, "not-found", "", "", "", {}}}, nullptr).lowest; };
  EXPECT_EQ(lowest("cudart64_110.dll"), "452.39");
  EXPECT_EQ(lowest("CUDART64_12.DLL"), "528.33");
  EXPECT_EQ(lowest("cudart64_13.dll"), "580");
  EXPECT_EQ(lowest("cudart64_101.dll"), "");
}

}  // namespace
}  // namespace gpuway
