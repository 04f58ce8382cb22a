#include "process.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

using loader_test::Machine;
using Paths = std::vector<std::string>;

TEST(Preload, is_mapped_behind_the_program_and_its_needs_behind_the_programs_own) {
  Machine machine;
  machine.add("/bin/prog", {"liba.so"}).rpath = "/l";
  machine.add("/l/liba.so", {"libdeep.so"});
  machine.add("/l/libpre.so", {"libpreneed.so"});
  machine.add("/l/libpreneed.so");
  machine.add("/l/libdeep.so");
  machine.setup.preload = "libpre.so";
  machine.open("libdeep.so");
  EXPECT_EQ(machine.objects, (Paths{"/bin/prog", "/l/libpre.so", "/l/liba.so", "/l/libpreneed.so", "/l/libdeep.so"}));
}

TEST(Preload, that_is_not_there_or_a_program_is_left_out) {
  Machine machine;
  machine.add("/l/libpie.so").flags_1 = 0x08000000;
  machine.add("/l/liba.so");
  machine.setup.preload = "libgone.so /l/libpie.so:/l/liba.so";
  EXPECT_EQ(machine.open("/l/liba.so"), "/l/liba.so");
  EXPECT_EQ(machine.objects, (Paths{"/bin/prog", "/l/liba.so"}));
}

TEST(Preload, that_is_cut_off_kills_the_process) {
  Machine machine;
  machine.add("/l/liba.so").load_end = 1 << 22;
  machine.setup.preload = "/l/liba.so";
  EXPECT_EQ(machine.open("liba.so"), "dies /l/liba.so");
}

TEST(CutOff, comes_before_what_the_file_says_of_itself) {
  Machine machine;
  auto& elf = machine.add("/l/liba.so");
  elf.load_end = 1 << 22;
  elf.flags_1 = 0x08000000;
  EXPECT_EQ(machine.open("/l/liba.so"), "dies /l/liba.so");
}

TEST(Symbols, are_bound_for_what_is_needed_before_who_needs_it) {
  Machine machine;
  machine.snapshot.binaries["/bin/prog"].elf->rpath = "/l";
  machine.add("/l/libtop.so", {"libmid.so", "libleaf.so"});
  machine.add("/l/libmid.so", {"libleaf.so"});
  machine.add("/l/libleaf.so");
  machine.lacks_symbol = {"/l/libtop.so", "/l/libmid.so"};
  EXPECT_EQ(machine.open("libtop.so"), "symbol-missing /l/libmid.so");
  machine.lacks_symbol = {"/l/libmid.so", "/l/libleaf.so"};
  EXPECT_EQ(machine.open("libtop.so"), "symbol-missing /l/libleaf.so");
}

// The order that the loader of glibc 2.36 had for this loop (LD_DEBUG=reloc).
TEST(Symbols, of_a_loop_are_bound_in_the_order_of_a_walk_in_depth) {
  Machine machine;
  machine.snapshot.binaries["/bin/prog"].elf->rpath = "/l";
  machine.add("/l/libroot.so", {"libd.so", "liba.so", "libb.so"});
  machine.add("/l/libd.so", {"libroot.so", "libb.so"});
  machine.add("/l/liba.so", {"liba.so", "libb.so"});
  machine.add("/l/libb.so", {"libd.so", "libroot.so"});
  machine.lacks_symbol = {"/l/libd.so", "/l/libb.so", "/l/liba.so"};
  EXPECT_EQ(machine.open("libroot.so"), "symbol-missing /l/libd.so");
  machine.lacks_symbol = {"/l/libb.so", "/l/liba.so"};
  EXPECT_EQ(machine.open("libroot.so"), "symbol-missing /l/libb.so");
}

}  // namespace
}  // namespace gpuway
