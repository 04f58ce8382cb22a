#include <gtest/gtest.h>

#include "process.h"

namespace gpuway {
namespace {

using loader_test::Machine;
using Outcome = BinaryView::Outcome;

// Each rule here was first seen to be broken by tests/loader_judge/trees.py, where the real loader answers otherwise.

TEST(RunPath, an_rpath_counts_for_the_needs_of_needs) {
  Machine machine;
  machine.add("/bin/prog", {"liba.so"}).rpath = "/l";
  machine.add("/l/liba.so", {"libb.so"});
  machine.add("/l/libb.so", {"libc1.so"});
  machine.add("/l/libc1.so");
  EXPECT_EQ(machine.open("libc1.so"), "/l/libc1.so");
}

TEST(RunPath, the_rpath_of_who_calls_dlopen_finds_the_library_but_not_what_that_needs) {
  Machine machine;
  machine.add("/p/libcaller.so").rpath = "/l";
  machine.add("/l/libplugin.so");
  machine.add("/l/libneedy.so", {"libdeep.so"});
  machine.add("/l/libdeep.so");
  const std::vector<LoadRequest> plugin{{.name = "/p/libcaller.so"}, {.name = "libplugin.so", .caller = 1}};
  EXPECT_EQ(machine.open(plugin).back(), "/l/libplugin.so");
  const std::vector<LoadRequest> needy{{.name = "/p/libcaller.so"}, {.name = "libneedy.so", .caller = 1}};
  EXPECT_EQ(machine.open(needy).back(), "not-found libdeep.so");
  machine.snapshot.binaries["/bin/prog"].elf->rpath = "/l";
  EXPECT_EQ(machine.open(needy).back(), "/l/libneedy.so") << "the program's own rpath counts for everything";
}

TEST(RunPath, a_runpath_counts_for_its_own_object_alone_and_switches_inherited_rpaths_off) {
  Machine machine;
  machine.snapshot.binaries["/bin/prog"].elf->rpath = "/l";
  machine.add("/l/liba.so", {"libb.so"}).runpath = "/r";
  machine.add("/r/libb.so", {"libc1.so"});
  machine.add("/r/libc1.so");
  EXPECT_EQ(machine.open("liba.so"), "not-found libc1.so");
  machine.add("/l/libc1.so");
  EXPECT_EQ(machine.open("liba.so"), "/l/liba.so") << "libb.so has no runpath, so the program's rpath counts for it";
}

TEST(RunPath, that_is_empty_switches_inherited_rpaths_off_too) {
  Machine machine;
  machine.snapshot.binaries["/bin/prog"].elf->rpath = "/l";
  machine.add("/l/liba.so", {"libb.so"}).runpath = "";
  machine.add("/l/libb.so");
  EXPECT_EQ(machine.open("liba.so"), "not-found libb.so");
}

TEST(RunPath, an_empty_entry_is_the_current_folder) {
  Machine machine;
  machine.snapshot.binaries["/bin/prog"].elf->runpath = ":";
  machine.add("/work/liba.so");
  EXPECT_EQ(machine.open("liba.so"), "/work/liba.so");
}

TEST(Candidate, a_link_that_leads_to_itself_ends_its_list_of_folders_and_no_other) {
  Machine machine;
  machine.put("/a/libx.so", Outcome::link_loop);
  machine.add("/b/libx.so");
  machine.setup.library_path = "/a:/b";
  EXPECT_EQ(machine.open("libx.so"), "not-found libx.so");
  machine.snapshot.binaries["/bin/prog"].elf->runpath = "/b";
  EXPECT_EQ(machine.open("libx.so"), "/b/libx.so");
  EXPECT_EQ(machine.open("/a/libx.so"), "malformed /a/libx.so");
}

TEST(Candidate, another_word_size_is_told_of_wherever_it_lies_and_whatever_else_was_unfit) {
  Machine machine;
  machine.snapshot.system.cpu_flags =
      Fact<std::vector<std::string>>::known({"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}, {});
  machine.add("/a/glibc-hwcaps/x86-64-v2/libx.so").elf_class = ElfClass::elf32;
  machine.add("/b/libx.so").machine = 183;
  machine.setup.library_path = "/a:/b";
  EXPECT_EQ(machine.open("libx.so"), "wrong-class /a/glibc-hwcaps/x86-64-v2/libx.so");
}

TEST(Candidate, a_file_for_another_machine_is_passed_over_even_when_its_tables_are_broken) {
  Machine machine;
  machine.add("/a/libx.so").machine = 183;
  machine.snapshot.binaries["/a/libx.so"].outcome = Outcome::malformed;
  machine.add("/b/libx.so");
  machine.setup.library_path = "/a:/b";
  EXPECT_EQ(machine.open("libx.so"), "/b/libx.so");
  machine.snapshot.binaries["/a/libx.so"].elf->machine = 62;
  EXPECT_EQ(machine.open("libx.so"), "malformed /a/libx.so");
}

TEST(Candidate, another_systems_abi_ends_the_search) {
  Machine machine;
  machine.setup.library_path = "/a";
  auto& elf = machine.add("/a/libx.so");
  elf.os_abi = 9;  // FreeBSD
  EXPECT_EQ(machine.open("libx.so"), "malformed /a/libx.so");
  elf.os_abi = 3;  // GNU
  EXPECT_EQ(machine.open("libx.so"), "/a/libx.so");
  elf.abi_version = 77;
  EXPECT_EQ(machine.open("libx.so"), "malformed /a/libx.so");
}

TEST(Candidate, a_program_is_no_library) {
  Machine machine;
  machine.setup.library_path = "/a";
  auto& elf = machine.add("/a/libx.so");
  elf.type = 2;
  EXPECT_EQ(machine.open("libx.so"), "malformed /a/libx.so");
  elf.type = 3;
  elf.flags_1 = 0x08000000;  // DF_1_PIE
  EXPECT_EQ(machine.open("libx.so"), "malformed /a/libx.so");
}

TEST(Candidate, an_object_that_forbids_dlopen_may_still_be_needed_at_the_start) {
  Machine machine;
  machine.setup.library_path = "/a";
  machine.add("/a/libx.so").flags_1 = 0x40;  // DF_1_NOOPEN
  EXPECT_EQ(machine.open("libx.so"), "malformed /a/libx.so");
  machine.snapshot.binaries["/bin/prog"].elf->needed = {"libx.so"};
  EXPECT_EQ(machine.open("libx.so"), "/a/libx.so");
}

// Haswell's flags with AVX-512 of servers.
const std::vector<std::string> kServer{"abm",      "avx",  "avx2",   "avx512bw", "avx512cd", "avx512dq", "avx512f",
                                       "avx512vl", "bmi1", "bmi2",   "cx16",     "f16c",     "fma",      "lahf_lm",
                                       "movbe",    "pni",  "popcnt", "sse4_1",   "sse4_2",   "ssse3"};

TEST(Processor, before_glibc_2_37_intels_have_a_platform_and_folders_of_their_own) {
  const auto intel = legacy_platform(kServer, "Intel(R) Xeon(R) Processor");
  EXPECT_EQ(intel.platform, "haswell");
  EXPECT_EQ(intel.subfolders, (std::vector<std::string>{"haswell/avx512_1/x86_64", "haswell/avx512_1", "haswell/x86_64",
                                                        "haswell", "avx512_1/x86_64", "avx512_1", "x86_64"}));
  const auto amd = legacy_platform(kServer, "AMD EPYC 9004");
  EXPECT_EQ(amd.platform, "x86_64");
  EXPECT_EQ(amd.subfolders, (std::vector<std::string>{"x86_64"}));
}

TEST(Processor, folders_and_platform_follow_the_release_of_glibc) {
  Machine machine;
  machine.snapshot.system.cpu_flags = Fact<std::vector<std::string>>::known(kServer, {});
  machine.snapshot.system.cpu_name = Fact<std::string>::known("Intel(R) Xeon(R) Processor", {});
  for (const auto* path : {"/a/libx.so", "/a/haswell/x86_64/libx.so", "/a/glibc-hwcaps/x86-64-v4/libx.so",
                           "/p/haswell/liby.so", "/p/x86_64/liby.so"}) {
    machine.add(path);
  }
  machine.setup.library_path = "/a:/p/$PLATFORM";
  const auto found_by = [&](const std::string& release) {
    machine.snapshot.system.libc = Fact<std::string>::known("glibc " + release, {});
    return machine.open("libx.so") + " " + machine.open("liby.so");
  };
  EXPECT_EQ(found_by("2.31"), "/a/haswell/x86_64/libx.so /p/haswell/liby.so");
  EXPECT_EQ(found_by("2.36"), "/a/glibc-hwcaps/x86-64-v4/libx.so /p/haswell/liby.so");
  EXPECT_EQ(found_by("2.37"), "/a/glibc-hwcaps/x86-64-v4/libx.so /p/x86_64/liby.so");
}

TEST(Cache, entries_for_older_loaders_processors_count_before_glibc_2_37) {
  Machine machine;
  machine.add("/l/x86_64/libx.so");
  machine.snapshot.loader_cache = Fact<LoaderCache>::known({{{"libx.so", "/l/x86_64/libx.so", "x86_64"}}, {}}, {});
  machine.snapshot.system.libc = Fact<std::string>::known("glibc 2.36", {});
  EXPECT_EQ(machine.open("libx.so"), "/l/x86_64/libx.so") << "a folder of ld.so.conf that is named x86_64";
  machine.snapshot.system.libc = Fact<std::string>::known("glibc 2.37", {});
  EXPECT_EQ(machine.open("libx.so"), "not-found libx.so");
}

TEST(Cache, a_processor_level_wins_and_else_the_first_entry) {
  Machine machine;
  machine.snapshot.system.cpu_flags = Fact<std::vector<std::string>>::known(kServer, {});
  for (const auto* path : {"/a/libx.so", "/b/libx.so", "/c/libx.so"}) machine.add(path);
  const LoaderCacheEntry first{"libx.so", "/a/libx.so", ""}, second{"libx.so", "/b/libx.so", ""},
      level{"libx.so", "/c/libx.so", "x86-64-v3"};
  machine.snapshot.loader_cache = Fact<LoaderCache>::known({{first, second}, {}}, {});
  EXPECT_EQ(machine.open("libx.so"), "/a/libx.so");
  machine.snapshot.loader_cache = Fact<LoaderCache>::known({{first, second, level}, {}}, {});
  EXPECT_EQ(machine.open("libx.so"), "/c/libx.so");
}

}  // namespace
}  // namespace gpuway
