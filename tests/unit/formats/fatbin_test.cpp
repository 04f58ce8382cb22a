#include "think/formats/fatbin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "unit/formats/fatbin_bytes.h"

namespace gpuway {
namespace {

using fatbin_bytes::container;
using fatbin_bytes::cubin;
using fatbin_bytes::elf;
using fatbin_bytes::Entry;

// Without a view, so that the sliding window is what is tested; the view is tested against it.
class PiecewiseSource final : public ByteSource {
 public:
  explicit PiecewiseSource(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> out) const override {
    return MemorySource(ByteView(bytes_)).read(offset, out);
  }

 private:
  std::string_view bytes_;
};

// "sm_80 x2, compute_90a 8.4 x1; 2 containers, 1 damaged", and the error's text when there is one.
std::string text_of(const Result<GpuCodeSummary>& summary) {
  if (!summary) return summary.error().text();
  std::string out;
  for (const auto& row : summary->rows) {
    constexpr const char* prefix[] = {"sm_", "compute_", "lto_", "other_"};
    out += (out.empty() ? "" : ", ") + std::string(prefix[static_cast<int>(row.kind)]) + std::to_string(row.arch);
    if (row.variant != 0) out += row.variant;
    if (row.ptx_major != 0) out += " " + std::to_string(row.ptx_major) + "." + std::to_string(row.ptx_minor);
    out += " x" + std::to_string(row.count);
  }
  out += "; " + std::to_string(summary->containers) + " containers";
  if (summary->damaged != 0) out += ", " + std::to_string(summary->damaged) + " damaged";
  if (summary->old_style != 0) out += ", old style";
  if (summary->truncated) out += ", truncated";
  return out;
}

std::string read(const std::string& bytes) {
  const auto pieces = text_of(summarize_gpu_code(PiecewiseSource(bytes)));
  EXPECT_EQ(pieces, text_of(summarize_gpu_code(MemorySource{ByteView(bytes)})));
  return pieces;
}

TEST(Fatbin, entries_are_counted_per_architecture) {
  EXPECT_EQ(read(container({{.arch = 80}, {.arch = 90}, {.arch = 80}})), "sm_80 x2, sm_90 x1; 1 containers");
}

TEST(Fatbin, the_suffix_comes_from_the_flags) {
  EXPECT_EQ(read(container({{.arch = 90, .flags = 0x100011}, {.arch = 100, .flags = 0x1200011}, {.arch = 90}})),
            "sm_90 x1, sm_90a x1, sm_100f x1; 1 containers");
}

TEST(Fatbin, ptx_keeps_the_newest_isa_version_of_its_architecture) {
  EXPECT_EQ(read(container({{.kind = 1, .arch = 80, .major = 7, .minor = 8},
                            {.kind = 1, .arch = 80, .major = 8, .minor = 4},
                            {.kind = 1, .arch = 80, .major = 8, .minor = 0}})),
            "compute_80 8.4 x3; 1 containers");
}

TEST(Fatbin, other_kinds_are_counted_apart) {
  EXPECT_EQ(read(container({{.kind = 8, .arch = 75}, {.kind = 77, .arch = 80}})),
            "lto_75 x1, other_80 x1; 1 containers");
}

TEST(Fatbin, longer_entry_headers_are_stepped_over) {
  EXPECT_EQ(read(container({{.arch = 75, .header = 72}, {.arch = 80, .header = 128}, {.arch = 86}})),
            "sm_75 x1, sm_80 x1, sm_86 x1; 1 containers");
}

TEST(Fatbin, containers_are_found_in_any_data_section) {
  const auto code = container({{.arch = 80}}), other = container({{.arch = 90}}),
             third = container({{.kind = 1, .arch = 90, .major = 8}});
  EXPECT_EQ(
      read(elf(
          {{".nv_fatbin", code + code}, {".cask_resource", "head" + other}, {".ldata", std::string(33, 'P') + third}})),
      "sm_80 x2, sm_90 x1, compute_90 8.7 x1; 4 containers");
}

TEST(Fatbin, code_and_tables_of_the_host_are_not_searched) {
  const auto code = container({{.arch = 80}});
  EXPECT_EQ(read(elf({{".text", code, 1, 6}, {".dynstr", code, 3}, {".rela.dyn", code, 4}, {".bss", code, 8}})),
            "; 0 containers");
}

TEST(Fatbin, a_file_without_sections_is_searched_whole) {
  EXPECT_EQ(read(std::string(1000, 'P') + container({{.arch = 61}}) + std::string(1000, '\xED')),
            "sm_61 x1; 1 containers");
}

TEST(Fatbin, sections_that_name_the_same_bytes_are_searched_once) {
  auto file = elf({{".data", container({{.arch = 80}})}, {".data2", ""}});
  std::uint64_t table = 0;
  std::memcpy(&table, file.data() + 40, 8);
  std::memcpy(file.data() + table + 128, file.data() + table + 64, 64);
  EXPECT_EQ(read(file), "sm_80 x1; 1 containers");
}

TEST(Fatbin, a_container_may_lie_across_the_end_of_a_window) {
  constexpr std::size_t kWindow = 8 << 20;
  const auto code = container({{.arch = 80}, {.arch = 90}});
  for (const std::size_t before :
       {kWindow - 1, kWindow - 7, kWindow - 8, kWindow - 15, kWindow - 17, kWindow - 100, kWindow}) {
    EXPECT_EQ(read(std::string(before, '\0') + code), "sm_80 x1, sm_90 x1; 1 containers") << before;
  }
}

TEST(Fatbin, a_payload_larger_than_a_window_is_jumped_over) {
  EXPECT_EQ(read(container({{.arch = 80, .payload = 20 << 20}, {.arch = 90}}) + container({{.arch = 100}})),
            "sm_80 x1, sm_90 x1, sm_100 x1; 2 containers");
}

TEST(Fatbin, a_container_that_claims_more_than_there_is_is_damaged_and_the_search_goes_on) {
  auto broken = container({{.arch = 80}});
  const std::uint64_t huge = ~std::uint64_t{0} - 7;
  std::memcpy(broken.data() + 8, &huge, 8);
  EXPECT_EQ(read(broken + container({{.arch = 90}})), "sm_90 x1; 1 containers, 1 damaged");
}

TEST(Fatbin, an_entry_that_claims_more_than_its_container_is_damaged) {
  for (const std::uint64_t payload :
       {std::uint64_t{25}, std::uint64_t{1} << 40, ~std::uint64_t{0}, ~std::uint64_t{0} - 63}) {
    auto broken = container({{.arch = 80}});
    std::memcpy(broken.data() + 16 + 8, &payload, 8);
    EXPECT_EQ(read(broken), "; 1 containers, 1 damaged") << payload;
  }
}

TEST(Fatbin, an_entry_header_of_an_impossible_size_is_damaged) {
  for (const std::uint32_t header : {0U, 63U, 4097U, 0xFFFFFFFFU}) {
    auto broken = container({{.arch = 80}});
    std::memcpy(broken.data() + 16 + 4, &header, 4);
    EXPECT_EQ(read(broken), "; 1 containers, 1 damaged") << header;
  }
}

TEST(Fatbin, less_than_an_entry_may_be_left_over_at_the_end) {
  auto code = container({{.arch = 80}}) + std::string(63, '\0');
  const std::uint64_t size = code.size() - 16;
  std::memcpy(code.data() + 8, &size, 8);
  EXPECT_EQ(read(code), "sm_80 x1; 1 containers");
}

TEST(Fatbin, a_flood_of_damaged_containers_ends_the_search) {
  std::string flood;
  for (int i = 0; i < 5000; ++i)
    flood += std::string("\x50\xED\x55\xBA\x01\x00\x10\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 16);
  EXPECT_EQ(read(flood), "; 0 containers, 1000 damaged, truncated");
}

TEST(Fatbin, a_flood_of_entries_ends_the_search) {
  const auto code = container(std::vector<Entry>(1'000'001, Entry{.payload = 0}));
  EXPECT_EQ(read(code), "sm_80 x1000000; 1 containers, truncated");
}

TEST(Fatbin, containers_of_before_cuda_4_are_named_and_not_read) {
  std::string old("\x01\x5A\xE5\x1E", 4);
  EXPECT_EQ(read(old + std::string(100, '\0')), "; 0 containers, old style");
}

TEST(Fatbin, a_file_cut_at_any_length_gives_an_outcome) {
  const auto whole = elf({{".nv_fatbin", container({{.arch = 80}, {.kind = 1, .arch = 90, .major = 8, .minor = 4}})},
                          {".data", container({{.arch = 90}})}});
  ASSERT_EQ(read(whole), "sm_80 x1, sm_90 x1, compute_90 8.4 x1; 2 containers");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto cut = summarize_gpu_code(PiecewiseSource(std::string_view(whole).substr(0, length)));
    if (!cut) {
      EXPECT_EQ(cut.error().code, ErrorCode::malformed) << length;
    } else {
      EXPECT_LE(cut->containers, 2U) << length;
    }
  }
}

TEST(Fatbin, a_section_table_of_the_wrong_entry_size_is_malformed) {
  auto file = elf({{".data", "x"}});
  file[58] = 40;
  EXPECT_EQ(read(file), "sections: malformed: section header of 40 bytes, expected 64");
}

// A file that claims to be of any size: zeros, except nothing.
class SparseSource final : public ByteSource {
 public:
  std::uint64_t size() const override { return std::uint64_t{1} << 50; }
  Result<std::size_t> read(std::uint64_t, std::span<std::byte> out) const override {
    bytes_read_ += out.size();
    return out.size();  // the reader's buffer is zeros already
  }
  mutable std::uint64_t bytes_read_ = 0;
};

TEST(Fatbin, a_sparse_file_of_any_size_is_not_searched_to_its_end) {
  const SparseSource source;
  const auto summary = summarize_gpu_code(source);
  ASSERT_TRUE(summary);
  EXPECT_TRUE(summary->truncated);
  EXPECT_LE(source.bytes_read_, (std::uint64_t{8} << 30) + (64 << 20));
}

TEST(Cubin, of_the_old_layout_has_its_architecture_in_the_low_byte) {
  EXPECT_EQ(read(cubin(7, 0x00460546)), "sm_70 x1; 0 containers");
  EXPECT_EQ(read(cubin(7, 0x005A0D5A)), "sm_90a x1; 0 containers");
}

TEST(Cubin, of_the_new_layout_has_it_in_the_second_byte) {
  EXPECT_EQ(read(cubin(8, 0x06004b04)), "sm_75 x1; 0 containers");
  EXPECT_EQ(read(cubin(8, 0x06006402)), "sm_100 x1; 0 containers");
  EXPECT_EQ(read(cubin(8, 0x06007802)), "sm_120 x1; 0 containers");
}

TEST(Ptx, as_a_text_tells_isa_version_and_target) {
  EXPECT_EQ(read("//\n// Generated\n\n.version 8.4\n.target sm_90a, debug\n.address_size 64\n"),
            "compute_90a 8.4 x1; 0 containers");
  EXPECT_EQ(read(".version 6.0\r\n.target sm_50\r\n"), "compute_50 6.0 x1; 0 containers");
}

TEST(Ptx, without_both_lines_is_some_other_text) {
  for (const auto* other :
       {".version 8.4\n", ".target sm_90\n", ".version 8\n.target sm_90\n", ".version 8.4\n.target sm_\n",
        ".version 99999.1\n.target sm_90\n", ".versions 8.4\n.target sm_90\n", ""}) {
    EXPECT_EQ(read(other), "; 0 containers") << other;
  }
}

}  // namespace
}  // namespace gpuway
