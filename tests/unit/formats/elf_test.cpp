#include "think/formats/elf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
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

// What the loader says of such files: tests/loader_judge/trees.py.
TEST_F(RealElf, a_header_that_the_loader_refuses_makes_it_malformed) {
  const auto outcome_with = [&](std::size_t at, char value) {
    auto changed = bytes_;
    changed[at] = value;
    const MemorySource source{ByteView(changed)};
    return classify_elf(source);
  };
  EXPECT_EQ(outcome_with(6, 1).outcome, BinaryView::Outcome::elf) << "the value that stands there anyway";
  EXPECT_EQ(outcome_with(6, 2).detail, "ident version 2, expected 1");
  EXPECT_EQ(outcome_with(12, 1).detail, "padding in the ident is not 0");
  EXPECT_EQ(outcome_with(20, 2).detail, "version 2, expected 1");
}

TEST_F(RealElf, broken_tables_leave_what_the_header_says) {
  auto changed = bytes_;
  changed[54] = 57;   // size of a program header
  const MemorySource source{ByteView(changed)};
  const auto view = classify_elf(source);
  EXPECT_EQ(view.outcome, BinaryView::Outcome::malformed);
  ASSERT_TRUE(view.elf.has_value());
  EXPECT_EQ(view.elf->machine, 62);
  EXPECT_EQ(view.elf->elf_class, ElfClass::elf64);
}

TEST_F(RealElf, a_shared_object_without_dynamic_section_is_malformed) {
  auto changed = bytes_;
  std::uint64_t table = 0;
  std::uint16_t count = 0;
  std::memcpy(&table, changed.data() + 32, sizeof(table));
  std::memcpy(&count, changed.data() + 56, sizeof(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t type = 0;
    std::memcpy(&type, changed.data() + table + i * 56, sizeof(type));
    if (type == 2) std::memset(changed.data() + table + i * 56, 0, sizeof(type));
  }
  changed[16] = 3;   // ET_DYN, whatever this program is
  const MemorySource source{ByteView(changed)};
  EXPECT_EQ(classify_elf(source).outcome, BinaryView::Outcome::malformed);
}

TEST_F(RealElf, a_file_cut_at_any_length_of_its_head_gives_an_outcome) {
  for (std::size_t length = 0; length < 4096; ++length) {
    const MemorySource source{ByteView(std::string_view(bytes_).substr(0, length))};
    const auto view = classify_elf(source);
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
