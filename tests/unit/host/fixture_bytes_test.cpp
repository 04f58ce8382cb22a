#include "sense/host/fixture_bytes.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>

namespace gpuway {
namespace {

// What binutils say of the stand-in: they are not ours.
std::string readelf(const std::string& bytes, const std::string& options) {
  const auto path = testing::TempDir() + "gpuway_fixture_stub.so";
  std::ofstream(path, std::ios::binary) << bytes;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      ::popen(("readelf -W " + options + " '" + path + "' 2>&1").c_str(), "r"), &::pclose);
  std::string out;
  char part[4096];
  while (const auto count = std::fread(part, 1, sizeof part, pipe.get())) out.append(part, count);
  std::remove(path.c_str());
  return out;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ElfStub, binutils_read_what_was_described) {
  ElfStub stub;
  stub.soname = "liba.so.1";
  stub.runpath = "$ORIGIN/../lib";
  stub.needed = {"libb.so.2", "libc.so.6"};
  stub.interpreter = "/lib64/ld-linux-x86-64.so.2";
  stub.defines = {"defined_here"};
  stub.asks = {"asked_for"};
  stub.gpu_code = {"sm_80"};
  const auto bytes = elf_stub(stub);
  const auto dynamic = readelf(bytes, "-d");
  for (const auto* part : {"Library soname: [liba.so.1]", "Library runpath: [$ORIGIN/../lib]",
                           "Shared library: [libb.so.2]", "Shared library: [libc.so.6]"}) {
    EXPECT_TRUE(holds(dynamic, part)) << part << "\n" << dynamic;
  }
  const auto head = readelf(bytes, "-h -l -S");
  for (const auto* part :
       {"Advanced Micro Devices X86-64", "Requesting program interpreter: /lib64/ld-linux-x86-64.so.2", ".nv_fatbin"}) {
    EXPECT_TRUE(holds(head, part)) << part << "\n" << head;
  }
  const auto symbols = readelf(bytes, "--dyn-syms");
  EXPECT_TRUE(holds(symbols, "defined_here")) << symbols;
  EXPECT_TRUE(holds(symbols, "asked_for")) << symbols;
  for (const auto& text : {dynamic, head, symbols})
    EXPECT_FALSE(holds(text, "Warning") || holds(text, "Error")) << text;
}

TEST(ElfStub, another_processor_is_what_it_says) {
  ElfStub stub;
  stub.machine = 183;
  EXPECT_TRUE(holds(readelf(elf_stub(stub), "-h"), "AArch64"));
}

// ldconfig itself prints the cache.
TEST(LoaderCache, ldconfig_reads_what_was_written) {
  const auto path = testing::TempDir() + "gpuway_fixture.cache";
  std::ofstream(path, std::ios::binary) << loader_cache_bytes(
      {"/usr/lib/wsl/lib/libcuda.so.1", "/lib/x86_64-linux-gnu/libcuda.so.1"}, "2.36", 62);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(("/sbin/ldconfig -p -C '" + path + "' 2>&1").c_str(), "r"),
                                                   &::pclose);
  std::string out;
  char part[4096];
  while (const auto count = std::fread(part, 1, sizeof part, pipe.get())) out.append(part, count);
  std::remove(path.c_str());
  const auto first = out.find("libcuda.so.1 (libc6,x86-64) => /usr/lib/wsl/lib/libcuda.so.1");
  const auto second = out.find("libcuda.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libcuda.so.1");
  EXPECT_NE(first, std::string::npos) << out;
  EXPECT_NE(second, std::string::npos) << out;
  EXPECT_LT(first, second);
}

}  // namespace
}  // namespace gpuway
