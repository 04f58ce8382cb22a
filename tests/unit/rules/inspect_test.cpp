#include "think/rules/inspect.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

using Row = GpuCodeSummary::Row;

GpuCodeSummary code(std::vector<Row> rows) {
  GpuCodeSummary summary;
  summary.rows = std::move(rows);
  return summary;
}
Row machine_code(std::uint32_t arch) { return {Row::Kind::machine_code, arch, 0, 0, 0, 1}; }
Row ptx(std::uint32_t arch, std::uint32_t major, std::uint32_t minor) {
  return {Row::Kind::ptx, arch, 0, major, minor, 1};
}
InspectedNeed need(const std::string& name) { return {name, "/a", true, "not-found", "", "", "", {}}; }

TEST(LowestDriver, of_a_cuda_runtime_is_that_of_its_major) {
  const auto driver = lowest_driver({need("libc.so.6"), need("libcudart.so.12")}, nullptr);
  EXPECT_EQ(driver.lowest, "525.60.13");
  EXPECT_EQ(driver.because, "CUDA 12, by libcudart.so.12");
}

TEST(LowestDriver, of_cuda_10_is_that_of_the_very_release) {
  EXPECT_EQ(lowest_driver({need("libcudart.so.10.1")}, nullptr).lowest, "418.39");
}

TEST(LowestDriver, of_machine_code_alone_follows_the_ptx_beside_it_by_minor_version_compatibility) {
  const auto summary = code({machine_code(90), ptx(90, 8, 4)});
  const auto driver = lowest_driver({}, &summary);
  EXPECT_EQ(driver.lowest, "525.60.13");
  EXPECT_EQ(driver.because, "CUDA 12, by PTX ISA 8.4");
  EXPECT_EQ(driver.for_ptx, "550.54.14");
}

TEST(LowestDriver, of_ptx_alone_is_that_of_the_release_that_made_it) {
  const auto summary = code({ptx(50, 6, 0), ptx(90, 8, 4)});
  EXPECT_EQ(lowest_driver({}, &summary).lowest, "550.54.14");
}

TEST(LowestDriver, is_not_known_where_nothing_tells) {
  const auto bare = code({machine_code(90)});
  EXPECT_EQ(lowest_driver({need("libc.so.6")}, &bare).lowest, "");
  const auto future = code({ptx(90, 99, 0)});
  EXPECT_EQ(lowest_driver({}, &future).lowest, "");
  EXPECT_EQ(lowest_driver({}, &future).ptx_isa, "99.0");
}

// A machine of three files: a program, libtop that needs libgone twice removed, and libmid that asks for it.
class Replayed : public testing::Test {
 protected:
  void SetUp() override {
    add("/bin/prog", {}, "");
    add("/l/libtop.so", {"libmid.so", "libalso.so"}, "/l");
    add("/l/libmid.so", {"libgone.so"}, "");
    FolderView folder;
    folder.outcome = FolderView::Outcome::listed;
    folder.names = {"libmid.so", "libtop.so"};
    snapshot_.folders["/l"] = folder;
    snapshot_.loader_cache = Fact<LoaderCache>::known({}, {});
  }
  void add(const std::string& path, std::vector<std::string> needed, const std::string& rpath) {
    BinaryView view;
    view.outcome = BinaryView::Outcome::elf;
    view.file_id = path;
    view.file_size = 1 << 20;
    ElfSummary elf;
    elf.elf_class = ElfClass::elf64;
    elf.machine = 62;
    elf.type = 3;
    elf.needed = std::move(needed);
    if (!rpath.empty()) elf.rpath = rpath;
    view.elf = elf;
    snapshot_.binaries[path] = view;
    snapshot_.gpu_code[path] = Fact<GpuCodeSummary>::known({}, {});
  }
  // Answers every want with "not there" until nothing is wanted.
  std::vector<InspectedFile> inspect(std::vector<std::string> files) {
    for (int round = 0; round < 20; ++round) {
      Wants wants;
      auto out = inspect_files(snapshot_, {files, "/bin/prog"}, wants);
      if (wants.empty()) return out;
      for (const auto& [path, unused] : wants.folders) snapshot_.folders[path].outcome = FolderView::Outcome::missing;
      for (const auto& [path, unused] : wants.binaries) snapshot_.binaries[path].outcome = BinaryView::Outcome::missing;
      for (const auto& [path, unused] : wants.gpu_code) snapshot_.gpu_code[path] = Fact<GpuCodeSummary>::absent({});
    }
    ADD_FAILURE() << "still wants something";
    return {};
  }
  static std::string text(const InspectedFile& file) {
    std::string out(to_word(file.loads));
    for (const auto& row : file.needs)
      out += ", " + row.name + " " + row.state + (row.direct ? "" : " for " + row.asked_by);
    return out;
  }
  Snapshot snapshot_;
};

TEST_F(Replayed, everything_missing_is_named_not_the_first_only) {
  EXPECT_EQ(text(inspect({"/l/libtop.so"})[0]),
            "no, libmid.so found, libalso.so not-found, libgone.so not-found for /l/libmid.so");
}

TEST_F(Replayed, what_lies_among_the_inspected_files_is_elsewhere_and_no_fault) {
  add("/other/libgone.so", {}, "");
  add("/other/libalso.so", {}, "");
  const auto files = inspect({"/l/libtop.so", "/other/libalso.so", "/other/libgone.so"});
  EXPECT_EQ(text(files[0]),
            "undetermined, libmid.so found, libalso.so elsewhere, libgone.so elsewhere for /l/libmid.so");
  EXPECT_EQ(files[0].loads_detail, "elsewhere");
}

TEST_F(Replayed, a_library_for_another_processor_is_not_judged) {
  add("/l/libarm.so", {"libc.so.6"}, "");
  snapshot_.binaries["/l/libarm.so"].elf->machine = 183;
  const auto file = inspect({"/l/libarm.so"})[0];
  EXPECT_EQ(text(file), "undetermined, libc.so.6 not-settled");
  EXPECT_EQ(file.machine, "aarch64");
}

TEST_F(Replayed, a_file_that_is_not_there_is_unreadable) {
  EXPECT_EQ(inspect({"/l/nothing.so"})[0].kind, "unreadable");
}

}  // namespace
}  // namespace gpuway
