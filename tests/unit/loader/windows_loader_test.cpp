#include "think/loader/windows/windows_loader.h"

#include <gtest/gtest.h>

#include "base/path.h"

namespace gpuway {
namespace {

ImportCheck looked_at(const std::string& importer, const std::string& library, const std::string& exporter) {
  ImportCheck check;
  check.importer = importer;
  check.library = library;
  check.exporter = exporter;
  check.outcome = ImportCheck::Outcome::looked;
  return check;
}

/// A machine with a program C:/app/p.exe, System32 and an empty current folder C:/work, to which tests add DLLs.
class WindowsSearch : public testing::Test {
 protected:
  WindowsSearch() {
    snapshot_.system.family = "windows";
    snapshot_.windows.emplace();
    snapshot_.windows->windows_folder = "C:/Windows";
    snapshot_.windows->system_folder = "C:/Windows/System32";
    snapshot_.windows->known_dlls = Fact<std::vector<std::string>>::known({"kernel32.dll", "ole32.dll"}, {});
    for (const auto* folder : {"C:/app", "C:/work", "C:/Windows", "C:/Windows/System", "C:/Windows/System32"}) list(folder);
    file("C:/app/p.exe");
    process_.executable = "C:/app/p.exe";
    process_.current_folder = "C:/work";
  }

  void list(const std::string& folder) { snapshot_.folders[folder].outcome = FolderView::Outcome::listed; }
  PeSummary& file(const std::string& path, std::vector<std::string> imports = {}, std::uint16_t machine = kMachineX64) {
    auto& names = snapshot_.folders[parent_path(path)];
    names.outcome = FolderView::Outcome::listed;
    names.names.emplace_back(file_name(path));
    auto& view = snapshot_.binaries[path];
    view.outcome = BinaryView::Outcome::pe;
    view.file_size = 4096;
    view.pe.emplace();
    view.pe->machine = machine;
    view.pe->imports = std::move(imports);
    return *view.pe;
  }
  void exports_fit(const std::string& importer, const std::string& library, const std::string& exporter) {
    const auto check = looked_at(importer, library, exporter);
    snapshot_.import_checks[check.key()] = check;
  }
  // The path that is taken, or the error's number.
  std::string load(const std::string& name, std::uint32_t flags) {
    WindowsLoader loader(snapshot_, process_, wants_, variant_);
    loader.start();
    const auto outcome = loader.load(name, flags);
    if (outcome.state == DllOutcome::State::loaded) return loader.modules()[static_cast<std::size_t>(outcome.module)].path;
    return outcome.failure ? std::to_string(outcome.failure->code) + " " + outcome.failure->library : outcome.reason;
  }

  Snapshot snapshot_;
  WindowsProcess process_;
  LoaderVariant variant_;
  Wants wants_;
};

TEST_F(WindowsSearch, without_flags_folders_are_searched_as_documented) {
  process_.path = "C:\\p1;rel";
  for (const auto* folder : {"C:/p1", "C:/work/rel", "C:/work", "C:/Windows", "C:/Windows/System", "C:/Windows/System32", "C:/app"}) {
    file(std::string(folder) + "/x.dll");
    EXPECT_EQ(load("x.dll", 0), folder == std::string("C:/work/rel") ? "C:/p1/x.dll" : std::string(folder) + "/x.dll");
  }
  EXPECT_EQ(load("X.DLL", 0), "C:/app/x.dll");
  EXPECT_EQ(load("x", 0), "C:/app/x.dll");
}

TEST_F(WindowsSearch, a_dot_at_the_end_keeps_the_name_and_names_that_listings_leave_out_are_asked_for) {
  EXPECT_EQ(load("x.", 0), "C:/app/x: not looked at yet");
  for (const auto* folder : {"C:/app", "C:/Windows/System32", "C:/Windows/System", "C:/Windows"}) {
    snapshot_.binaries[std::string(folder) + "/x"].outcome = BinaryView::Outcome::missing;
  }
  file("C:/work/x");
  EXPECT_EQ(load("x.", 0), "C:/work/x");
}

TEST_F(WindowsSearch, search_flags_leave_out_path_and_current_folder) {
  process_.path = "C:\\p1";
  process_.dll_directories = {"C:/d1", "C:/d2"};
  list("C:/d1");
  list("C:/d2");
  file("C:/p1/x.dll");
  file("C:/work/x.dll");
  EXPECT_EQ(load("x.dll", kSearchDefaultDirs), "126 x.dll");
  file("C:/d1/x.dll");
  EXPECT_EQ(load("x.dll", kSearchDefaultDirs), "C:/d1/x.dll");
  EXPECT_EQ(load("x.dll", kSearchSystem32), "126 x.dll");
  EXPECT_EQ(load("x.dll", kAlteredSearchPath), "C:/work/x.dll");   // AddDllDirectory counts for search flags only
}

TEST_F(WindowsSearch, a_full_path_brings_its_folder_only_with_a_flag_for_it) {
  file("C:/d/a.dll", {"b.dll"});
  file("C:/d/b.dll");
  exports_fit("C:/d/a.dll", "b.dll", "C:/d/b.dll");
  EXPECT_EQ(load("C:/d/a.dll", 0), "126 b.dll");
  EXPECT_EQ(load("C:\\d\\a.dll", kAlteredSearchPath), "C:/d/a.dll");
  EXPECT_EQ(load("C:/d/a.dll", kSearchDllLoadDir | kSearchDefaultDirs), "C:/d/a.dll");
  EXPECT_EQ(load("a.dll", kSearchDllLoadDir), "87 a.dll");
  EXPECT_EQ(load("C:/d/a.dll", kAlteredSearchPath | kSearchSystem32), "87 a.dll");
}

TEST_F(WindowsSearch, what_is_loaded_already_satisfies_every_bare_name) {
  file("C:/d/x.dll");
  file("C:/app/x.dll");
  WindowsLoader loader(snapshot_, process_, wants_);
  loader.start();
  const auto first = loader.load("C:/d/x.dll", kAlteredSearchPath);
  EXPECT_EQ(loader.load("x.dll", 0).module, first.module);
  EXPECT_NE(loader.load("C:/app/x.dll", 0).module, first.module);   // another full path is another copy
}

TEST_F(WindowsSearch, windows_own_names_come_from_windows) {
  file("C:/app/ole32.dll");
  EXPECT_EQ(load("ole32.dll", 0), "C:/Windows/System32/ole32.dll");
  EXPECT_EQ(load("api-ms-win-crt-heap-l1-1-0.dll", 0), "C:/Windows/System32/api-ms-win-crt-heap-l1-1-0.dll");
  variant_.known_dlls = false;
  EXPECT_EQ(load("ole32.dll", 0), "C:/app/ole32.dll");
}

TEST_F(WindowsSearch, a_file_that_cannot_be_a_library_ends_the_search) {
  process_.path = "C:\\p1;C:\\p2";
  file("C:/p1/x.dll", {}, kMachineArm64);   // which this Windows cannot run at all
  file("C:/p2/x.dll");
  EXPECT_EQ(load("x.dll", 0), "193 x.dll");
  snapshot_.binaries["C:/p1/x.dll"].pe->machine = kMachineX64;
  snapshot_.binaries["C:/p1/x.dll"].pe->load_end = 5000;
  EXPECT_EQ(load("x.dll", 0), "193 x.dll");
  snapshot_.binaries["C:/p1/x.dll"] = {};
  snapshot_.binaries["C:/p1/x.dll"].outcome = BinaryView::Outcome::not_regular;
  EXPECT_EQ(load("x.dll", 0), "5 x.dll");
  snapshot_.binaries["C:/p1/x.dll"] = {};
  snapshot_.binaries["C:/p1/x.dll"].outcome = BinaryView::Outcome::other_format;
  EXPECT_EQ(load("x.dll", 0), "193 x.dll");
}

TEST_F(WindowsSearch, a_file_for_the_other_word_size_is_passed_over) {
  process_.path = "C:\\p1;C:\\p2";
  file("C:/p1/x.dll", {}, kMachineX86);
  list("C:/p2");
  EXPECT_EQ(load("x.dll", 0), "193 x.dll");
  EXPECT_EQ(load("C:/p1/x.dll", 0), "193 x.dll");
  file("C:/p2/x.dll");
  EXPECT_EQ(load("x.dll", 0), "C:/p2/x.dll");
  file("C:/app/a.dll", {"x.dll"});
  exports_fit("C:/app/a.dll", "x.dll", "C:/p2/x.dll");
  EXPECT_EQ(load("a.dll", 0), "C:/app/a.dll");
}

TEST_F(WindowsSearch, the_padding_of_the_last_sector_may_be_missing) {
  file("C:/app/x.dll").load_end = 4096 + 512;
  snapshot_.binaries["C:/app/x.dll"].file_size = 4097;
  EXPECT_EQ(load("x.dll", 0), "C:/app/x.dll");
  snapshot_.binaries["C:/app/x.dll"].file_size = 4096;
  EXPECT_EQ(load("x.dll", 0), "193 x.dll");
}

TEST_F(WindowsSearch, default_flags_count_for_what_is_called_not_for_the_start_and_replace_the_altered_search) {
  snapshot_.binaries["C:/app/p.exe"].pe->imports = {"first.dll"};
  file("C:/app/first.dll");
  exports_fit("C:/app/p.exe", "first.dll", "C:/app/first.dll");
  process_.default_flags = kSearchUserDirs;
  process_.path = "C:\\p1";
  file("C:/p1/x.dll");
  file("C:/d/a.dll", {"x.dll"});
  WindowsLoader loader(snapshot_, process_, wants_);
  EXPECT_EQ(loader.start().state, DllOutcome::State::loaded);
  EXPECT_EQ(load("x.dll", 0), "126 x.dll");
  EXPECT_EQ(load("x.dll", kAlteredSearchPath), "87 x.dll");
  EXPECT_EQ(load("C:/d/a.dll", kAlteredSearchPath), "126 x.dll");   // no PATH
  file("C:/d/x.dll");
  exports_fit("C:/d/a.dll", "x.dll", "C:/d/x.dll");
  EXPECT_EQ(load("C:/d/a.dll", kAlteredSearchPath), "C:/d/a.dll");
}

TEST_F(WindowsSearch, one_file_by_two_paths_is_one_module) {
  file("C:/d/x.dll");
  file("C:/e/y.dll");
  snapshot_.binaries["C:/d/x.dll"].file_id = snapshot_.binaries["C:/e/y.dll"].file_id = "7:7";
  WindowsLoader loader(snapshot_, process_, wants_);
  loader.start();
  const auto first = loader.load("C:/d/x.dll", 0);
  EXPECT_EQ(loader.load("C:/e/y.dll", 0).module, first.module);
  EXPECT_EQ(loader.load("C:/d/sub/../X.DLL", 0).module, first.module);
  EXPECT_EQ(loader.find_loaded("X"), first.module);
}

TEST_F(WindowsSearch, a_name_with_a_folder_is_joined_to_each_folder_searched) {
  file("C:/work/sub/x.dll");
  for (const auto* folder : {"C:/app/sub", "C:/Windows/System32/sub", "C:/Windows/System/sub", "C:/Windows/sub"}) {
    snapshot_.folders[folder].outcome = FolderView::Outcome::missing;
  }
  EXPECT_EQ(load("sub\\x", 0), "C:/work/sub/x.dll");
  EXPECT_EQ(load("..\\work\\sub\\x.dll", 0), "C:/work/sub/x.dll");
  EXPECT_EQ(load("\\work\\sub\\x.dll", 0), "C:/work/sub/x.dll");
}

TEST_F(WindowsSearch, an_import_without_an_extension_is_a_dll) {
  file("C:/app/a.dll", {"b"});
  EXPECT_EQ(load("a.dll", 0), "126 b.dll");
}

TEST_F(WindowsSearch, a_delayed_import_is_not_wanted_yet) {
  file("C:/app/a.dll").delayed_imports = {"gone.dll"};
  EXPECT_EQ(load("a.dll", 0), "C:/app/a.dll");
}

TEST_F(WindowsSearch, a_program_for_32_bits_has_another_system_folder) {
  snapshot_.binaries["C:/app/p.exe"].pe->machine = kMachineX86;
  process_.machine = kMachineX86;
  file("C:/Windows/SysWOW64/x.dll", {}, kMachineX86);
  file("C:/Windows/System32/x.dll");
  EXPECT_EQ(load("x.dll", 0), "C:/Windows/SysWOW64/x.dll");
  EXPECT_EQ(load("C:\\windows\\system32\\x.dll", 0), "C:/Windows/SysWOW64/x.dll");
}

TEST_F(WindowsSearch, without_safe_search_the_current_folder_comes_second) {
  snapshot_.windows->safe_dll_search = Fact<bool>::known(false, {});
  file("C:/work/x.dll");
  file("C:/Windows/System32/x.dll");
  EXPECT_EQ(load("x.dll", 0), "C:/work/x.dll");
  file("C:/app/x.dll");
  EXPECT_EQ(load("x.dll", 0), "C:/app/x.dll");
}

TEST_F(WindowsSearch, the_failure_names_the_dll_at_fault_and_leaves_nothing_behind) {
  file("C:/app/a.dll", {"b.dll"});
  file("C:/app/b.dll", {"gone.dll"});
  exports_fit("C:/app/a.dll", "b.dll", "C:/app/b.dll");
  WindowsLoader loader(snapshot_, process_, wants_);
  loader.start();
  const auto outcome = loader.load("a.dll", 0);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->library, "gone.dll");
  EXPECT_EQ(outcome.failure->asked_by, "C:/app/b.dll");
  EXPECT_EQ(outcome.failure->chain, (std::vector<std::string>{"a.dll", "b.dll", "gone.dll"}));
  EXPECT_EQ(outcome.failure->searched.front().path, "C:/app/gone.dll");
  EXPECT_EQ(loader.find_loaded("b.dll"), -1);
}

TEST_F(WindowsSearch, an_export_that_is_not_there_fails_the_load) {
  file("C:/app/a.dll", {"b.dll"});
  file("C:/app/b.dll");
  auto check = looked_at("C:/app/a.dll", "b.dll", "C:/app/b.dll");
  check.missing = {"cudnnCreate"};
  check.missing_count = 1;
  snapshot_.import_checks[check.key()] = check;
  EXPECT_EQ(load("a.dll", 0), "127 b.dll");
  snapshot_.import_checks[check.key()].missing = {"#7"};
  EXPECT_EQ(load("a.dll", 0), "182 b.dll");
  variant_.checks_imports = false;
  EXPECT_EQ(load("a.dll", 0), "C:/app/a.dll");
}

TEST_F(WindowsSearch, a_forwarded_export_brings_the_dll_it_leads_to) {
  file("C:/app/a.dll", {"b.dll"});
  file("C:/app/b.dll");
  auto check = looked_at("C:/app/a.dll", "b.dll", "C:/app/b.dll");
  check.forwarded_to = {"c.dll"};
  snapshot_.import_checks[check.key()] = check;
  EXPECT_EQ(load("a.dll", 0), "126 c.dll");
  file("C:/app/c.dll");
  EXPECT_EQ(load("a.dll", 0), "C:/app/a.dll");
}

TEST_F(WindowsSearch, what_is_not_known_yet_is_asked_for_and_decides_nothing) {
  process_.path = "C:\\later;C:\\p2";
  file("C:/p2/x.dll");
  WindowsLoader loader(snapshot_, process_, wants_);
  loader.start();
  EXPECT_EQ(loader.load("x.dll", 0).state, DllOutcome::State::undetermined);
  EXPECT_TRUE(wants_.folders.contains("C:/later"));
}

TEST_F(WindowsSearch, a_packaged_program_does_not_search_path) {
  process_.path = "C:\\p1";
  file("C:/p1/x.dll");
  process_.packaged = true;
  EXPECT_EQ(load("x.dll", 0), "126 x.dll");
}

TEST_F(WindowsSearch, set_dll_directory_takes_the_current_folder_out) {
  file("C:/work/x.dll");
  process_.dll_directory = "";
  EXPECT_EQ(load("x.dll", 0), "126 x.dll");
  process_.dll_directory = "C:/d";
  list("C:/d");
  EXPECT_EQ(load("x.dll", 0), "126 x.dll");
  file("C:/d/x.dll");
  EXPECT_EQ(load("x.dll", 0), "C:/d/x.dll");
}

TEST_F(WindowsSearch, imports_that_say_system32_only_are_searched_there) {
  file("C:/app/a.dll", {"b.dll"}).dependent_load_flags = kSearchSystem32;
  file("C:/app/b.dll");
  EXPECT_EQ(load("a.dll", 0), "126 b.dll");
}

}  // namespace
}  // namespace gpuway
