#include "think/formats/elf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "think/formats/elf_symbols.h"
#include "think/formats/fatbin.h"
#include "think/formats/ld_so_cache.h"
#include "think/formats/system_files.h"

namespace gpuway {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The test program itself is a file that a real linker wrote.
class RealElf : public testing::Test {
 protected:
  std::string bytes_ = read_all("/proc/self/exe");
};

TEST_F(RealElf, the_linkers_own_facts_are_read) {
  const MemorySource source{ByteView(bytes_)};
  const auto summary = summarize_elf(source);
  ASSERT_TRUE(summary) << summary.error().text();
  EXPECT_EQ(summary->elf_class, ElfClass::elf64);
  EXPECT_TRUE(std::find(summary->needed.begin(), summary->needed.end(), "libc.so.6") != summary->needed.end());
  EXPECT_TRUE(summary->interpreter.has_value());
  EXPECT_FALSE(summary->version_needs.empty());
  EXPECT_LE(summary->load_end, bytes_.size());
}

TEST_F(RealElf, a_file_cut_at_any_length_of_its_head_gives_an_outcome) {
  for (std::size_t length = 0; length < 4096; ++length) {
    const MemorySource source{ByteView(std::string_view(bytes_).substr(0, length))};
    const auto view = classify_binary(source);
    if (length < 64) {
      EXPECT_TRUE(view.outcome == BinaryView::Outcome::too_short) << length;
    } else if (view.outcome == BinaryView::Outcome::elf) {
      EXPECT_GT(view.elf->load_end, length);   // so the loader replay knows that it is cut off
    } else {
      EXPECT_TRUE(view.outcome == BinaryView::Outcome::malformed) << length;
    }
  }
}

TEST_F(RealElf, its_own_libc_defines_what_it_needs_and_an_empty_scope_does_not) {
  const auto libc = read_all("/lib/x86_64-linux-gnu/libc.so.6");
  if (libc.empty()) GTEST_FAIL() << "no libc at the multi-arch place";
  SymbolStore store([&](const std::string& path) -> Result<ByteView> { return ByteView(path == "libc" ? libc : bytes_); });
  SymbolCheck question;
  question.object = "program";
  question.scope = {"program"};
  const auto alone = run_symbol_check(question, store);
  question.scope = {"program", "libc"};
  const auto with = run_symbol_check(question, store);
  EXPECT_GT(alone.missing_count, with.missing_count);
  EXPECT_TRUE(std::any_of(alone.missing.begin(), alone.missing.end(), [](const SymbolCheck::Missing& m) { return m.version.starts_with("GLIBC_"); }) ||
              alone.missing_count > alone.missing.size());
}

TEST_F(RealElf, a_program_without_gpu_code_has_none) {
  const MemorySource source{ByteView(bytes_)};
  const auto code = summarize_gpu_code(source);
  ASSERT_TRUE(code);
  EXPECT_TRUE(code->rows.empty());
}

TEST(LdSoCache, this_machines_own_cache_finds_libc) {
  const auto bytes = read_all("/etc/ld.so.cache");
  const auto cache = parse_ld_so_cache(ByteView(bytes), 62);
  ASSERT_TRUE(cache) << cache.error().text();
  EXPECT_TRUE(std::any_of(cache->entries.begin(), cache->entries.end(), [](const LoaderCacheEntry& e) { return e.soname == "libc.so.6"; }));
  for (std::size_t length = 0; length < std::min<std::size_t>(bytes.size(), 4096); ++length) {
    EXPECT_FALSE(parse_ld_so_cache(ByteView(std::string_view(bytes).substr(0, length)), 62)) << length;
  }
}

TEST(SystemFiles, banners_of_both_generations_are_read) {
  EXPECT_EQ(parse_nvidia_smi("| NVIDIA-SMI 550.54.14   Driver Version: 550.54.14   CUDA Version: 12.4 |").cuda, "12.4");
  EXPECT_EQ(parse_nvidia_smi("| NVIDIA-SMI 610.10  KMD Version: 610.10.02   CUDA UMD Version: 13.5 |").driver, "610.10.02");
  const auto nvrm = parse_nvrm_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n");
  ASSERT_TRUE(nvrm.has_value());
  EXPECT_EQ(nvrm->version, "570.86.15");
  EXPECT_TRUE(nvrm->open_module);
}

}  // namespace
}  // namespace gpuway
