#include "think/formats/fatbin.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "think/formats/gpu_code_file.h"

namespace gpuway {
namespace {

using Row = GpuCodeSummary::Row;

constexpr std::string_view kMagic{"\x50\xED\x55\xBA\x01\x00\x10\x00",
                                  8};            // container magic, version 1, header of 16 bytes
constexpr std::uint32_t kOldMagic = 0x1EE55A01;  // before CUDA 4
constexpr std::uint64_t kContainerHeader = 16, kEntryHeader = 64, kMaxEntryHeader = 4096;
constexpr std::uint64_t kMaxEntries = 1'000'000, kMaxContainers = 200'000, kMaxSections = 100'000;
// Real libraries hold none. Each one sends the search back to its own beginning, so they are not for free.
constexpr std::uint64_t kMaxDamaged = 1'000;
constexpr std::uint64_t kWindow = 8 << 20;
// More than this is not searched: a sparse file of any size costs nothing to make.
constexpr std::uint64_t kMaxSearched = std::uint64_t{8} << 30;
constexpr std::uint64_t kBareHead = 65536;
constexpr std::uint64_t kArchSpecific = 0x100000, kFamilySpecific = 0x200000;

struct Range {
  std::uint64_t begin = 0, end = 0;
};

// Where `pattern` first begins in [at, at + size). Looks for its second byte: 0xED is seldom in text and tables, where
// the first one ('P') is frequent, and memchr is as quick as the seldomness of what it looks for.
std::optional<std::uint64_t> offset_of(const std::byte* at, std::uint64_t size, std::string_view pattern) {
  if (size < pattern.size()) return std::nullopt;
  const auto* const last = at + (size - pattern.size());  // the last place where it can begin
  for (const auto* begin = at; begin <= last; ++begin) {
    const void* second =
        std::memchr(begin + 1, static_cast<unsigned char>(pattern[1]), static_cast<std::size_t>(last - begin) + 1);
    if (second == nullptr) return std::nullopt;
    begin = static_cast<const std::byte*>(second) - 1;
    if (std::memcmp(begin, pattern.data(), pattern.size()) == 0) return static_cast<std::uint64_t>(begin - at);
  }
  return std::nullopt;
}

// Sorted and without overlap, so that a section table that names the same bytes a hundred thousand times costs one
// search.
std::vector<Range> merged(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> out;
  for (const auto& range : ranges) {
    if (!out.empty() && range.begin < out.back().end) {
      out.back().end = std::max(out.back().end, range.end);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

/// Bytes of the source by position, through its view or through one sliding window.
class Window {
 public:
  explicit Window(const ByteSource& source) : source_(source), size_(source.size()), view_(source.view()) {}

  /// Copies `length` bytes (at most one window) at `at`; false when they do not lie in the file.
  Result<bool> copy(std::uint64_t at, void* out, std::uint64_t length) {
    if (at > size_ || length > size_ - at) return false;
    if (length == 0) return true;   // memcpy takes no null pointer, even for nothing
    if (view_) {
      std::memcpy(out, view_->data() + at, length);
      return true;
    }
    if (at < start_ || at - start_ > filled_ || length > filled_ - (at - start_)) GPUWAY_TRY(slide(at));
    if (length > filled_) return false;
    std::memcpy(out, buffer_.data() + (at - start_), length);
    return true;
  }

  /// The first place in [begin, end) where `pattern` begins, or `end`.
  Result<std::uint64_t> find(std::uint64_t begin, std::uint64_t end, std::string_view pattern) {
    end = std::min(end, size_);
    while (begin < end && end - begin >= pattern.size()) {
      const std::byte* at = nullptr;
      std::uint64_t room = 0;
      // A hole holds nothing that begins with a byte other than zero.
      if (begin >= data_.end || begin < data_.begin) data_ = source_.next_data(begin);
      begin = std::max(begin, data_.begin);
      if (begin >= end || end - begin < pattern.size()) return end;
      // What begins in the data may end with zeros of the hole behind it.
      const auto stop = end - data_.end < pattern.size() || data_.end >= end ? end : data_.end + (pattern.size() - 1);
      if (view_) {
        at = view_->data() + begin;
        room = stop - begin;
      } else {
        if (begin < start_ || begin - start_ >= filled_ || filled_ - (begin - start_) < pattern.size())
          GPUWAY_TRY(slide(begin));
        at = buffer_.data() + (begin - start_);
        room = std::min(filled_ - (begin - start_), stop - begin);
        if (room < pattern.size()) return end;
      }
      if (const auto hit = offset_of(at, room, pattern)) return begin + *hit;
      begin += room - (pattern.size() - 1);
    }
    return end;
  }

 private:
  Status slide(std::uint64_t at) {
    buffer_.resize(std::min(kWindow, size_));
    start_ = at;
    GPUWAY_TRY_ASSIGN(filled_, source_.read(at, buffer_));
    return Done{};
  }
  const ByteSource& source_;
  std::uint64_t size_;
  std::optional<ByteView> view_;
  std::vector<std::byte> buffer_;
  std::uint64_t start_ = 0, filled_ = 0;
  ByteSource::Extent data_;
};

struct Entry {  // the first 64 bytes of an entry header
  std::uint16_t kind, version;
  std::uint32_t header_size;
  std::uint64_t padded_size;
  std::uint32_t compressed_size, options_offset;
  std::uint16_t minor, major;
  std::uint32_t arch, name_offset, name_length;
  std::uint64_t flags, hash, uncompressed_size;
};
static_assert(sizeof(Entry) == kEntryHeader);

class Collector {
 public:
  void add(const Entry& entry) {
    Row row;
    switch (entry.kind) {
      case 1: row.kind = Row::Kind::ptx; break;
      case 2: row.kind = Row::Kind::machine_code; break;
      case 8: row.kind = Row::Kind::lto; break;
      default: row.kind = Row::Kind::other; break;
    }
    row.arch = entry.arch;
    row.variant = (entry.flags & kArchSpecific) != 0 ? 'a' : (entry.flags & kFamilySpecific) != 0 ? 'f' : '\0';
    auto& known = rows_[{row.kind, row.arch, row.variant}];
    if (known.count == 0) known = row;
    ++known.count;
    if (row.kind == Row::Kind::ptx && std::pair<std::uint32_t, std::uint32_t>(entry.major, entry.minor) >
                                          std::pair(known.ptx_major, known.ptx_minor)) {
      known.ptx_major = entry.major;
      known.ptx_minor = entry.minor;
    }
  }
  std::vector<Row> rows() const {
    std::vector<Row> out;
    for (const auto& [key, row] : rows_) out.push_back(row);
    return out;
  }

 private:
  std::map<std::tuple<Row::Kind, std::uint32_t, char>, Row> rows_;
};

// Walks the containers of one range. Every size is compared with what is left, never added to something untrusted.
Status walk(Window& window, Range range, Collector& collector, GpuCodeSummary& summary, std::uint64_t& entries) {
  auto at = range.begin;
  while (true) {
    GPUWAY_TRY_ASSIGN(const auto hit, window.find(at, range.end, kMagic));
    if (hit >= range.end || range.end - hit < kContainerHeader) return Done{};
    std::uint64_t size = 0;
    GPUWAY_TRY_ASSIGN(const bool there, window.copy(hit + 8, &size, 8));
    if (!there || size > range.end - hit - kContainerHeader) {
      ++summary.damaged;
      summary.truncated = summary.damaged >= kMaxDamaged;
      if (summary.truncated) return Done{};
      at = hit + kMagic.size();
      continue;
    }
    if (summary.containers == kMaxContainers || summary.damaged >= kMaxDamaged) {
      summary.truncated = true;
      return Done{};
    }
    ++summary.containers;
    auto entry_at = hit + kContainerHeader;
    const auto end = entry_at + size;
    bool sound = true;
    while (end - entry_at >= kEntryHeader) {
      Entry entry{};
      GPUWAY_TRY_ASSIGN(const bool whole, window.copy(entry_at, &entry, kEntryHeader));
      if (!whole || entry.header_size < kEntryHeader || entry.header_size > kMaxEntryHeader ||
          entry.header_size > end - entry_at || entry.padded_size > end - entry_at - entry.header_size) {
        sound = false;
        break;
      }
      if (entries == kMaxEntries) {
        summary.truncated = true;
        return Done{};
      }
      ++entries;
      collector.add(entry);
      entry_at += entry.header_size + entry.padded_size;
    }
    if (!sound) ++summary.damaged;
    at = sound ? end : hit + kMagic.size();
  }
}

bool worth_searching(std::string_view name) {
  for (const auto skipped :
       {".dynsym", ".dynstr", ".symtab", ".strtab", ".shstrtab", ".gnu.hash", ".hash", ".eh_frame", ".eh_frame_hdr",
        ".gcc_except_table", ".gnu.version", ".gnu.version_r", ".gnu.version_d"}) {
    if (name == skipped) return false;
  }
  return !name.starts_with(".rela") && !name.starts_with(".debug");
}

// The ranges of an ELF file that can hold containers; the whole file when it has no section table.
Result<std::vector<Range>> ranges_of(const ByteSource& source, Window& window) {
  const std::vector<Range> whole{{0, source.size()}};
  std::array<unsigned char, 64> head{};
  GPUWAY_TRY_ASSIGN(const bool has_head, window.copy(0, head.data(), head.size()));
  if (!has_head ||
      std::memcmp(head.data(),
                  "\x7f"
                  "ELF",
                  4) != 0 ||
      head[4] != 2 || head[5] != 1)
    return whole;
  std::uint64_t table = 0;
  std::uint16_t entry = 0, count16 = 0, names16 = 0;
  std::memcpy(&table, head.data() + 40, 8);
  std::memcpy(&entry, head.data() + 58, 2);
  std::memcpy(&count16, head.data() + 60, 2);
  std::memcpy(&names16, head.data() + 62, 2);
  struct Section {
    std::uint32_t name, type;
    std::uint64_t flags, address, offset, size;
    std::uint32_t link, info;
    std::uint64_t align, entry_size;
  };
  if (table == 0) return whole;
  if (entry != sizeof(Section))
    return make_error(ErrorCode::malformed, "section header of " + std::to_string(entry) + " bytes, expected 64");
  const auto section_at = [&](std::uint64_t index, Section& out) -> Result<bool> {
    if (table > source.size() || index * sizeof(Section) > source.size() - table) return false;
    return window.copy(table + index * sizeof(Section), &out, sizeof(Section));
  };
  Section first{};
  GPUWAY_TRY_ASSIGN(const bool has_first, section_at(0, first));
  if (!has_first) return whole;  // cut off: search what is there
  const std::uint64_t count = count16 != 0 ? count16 : first.size;
  const std::uint64_t names_index = names16 == 0xFFFF ? first.link : names16;
  if (count > kMaxSections)
    return make_error(ErrorCode::malformed, std::to_string(count) + " sections, limit " + std::to_string(kMaxSections));
  Section names{};
  GPUWAY_TRY_ASSIGN(const bool has_names, section_at(names_index, names));
  std::vector<Range> ranges;
  for (std::uint64_t i = 1; i < count; ++i) {
    Section section{};
    GPUWAY_TRY_ASSIGN(const bool there, section_at(i, section));
    if (!there) break;
    constexpr std::uint32_t kNoBits = 8;
    constexpr std::uint64_t kExecutable = 4;
    if (section.type == kNoBits || section.type == 0 || (section.flags & kExecutable) != 0) continue;
    if (section.offset > source.size()) continue;
    char name[32] = {};
    if (has_names && names.offset <= source.size() && section.name < source.size() - names.offset) {
      const auto room = std::min<std::uint64_t>(sizeof name - 1, source.size() - names.offset - section.name);
      GPUWAY_TRY_ASSIGN(const bool named, window.copy(names.offset + section.name, name, room));
      if (!named) name[0] = '\0';
    }
    if (!worth_searching(name)) continue;
    ranges.push_back({section.offset, section.offset + std::min(section.size, source.size() - section.offset)});
  }
  return merged(std::move(ranges));
}

}  // namespace

Result<GpuCodeSummary> summarize_gpu_code(const ByteSource& source) {
  Window window(source);
  GpuCodeSummary summary;
  std::uint32_t first = 0;
  GPUWAY_TRY_ASSIGN(const bool has_first, window.copy(0, &first, 4));
  if (has_first && first == kOldMagic) summary.old_style = 1;
  std::vector<std::byte> head(std::min(source.size(), kBareHead));
  GPUWAY_TRY_ASSIGN(const bool has_head, window.copy(0, head.data(), head.size()));
  if (const auto bare = has_head ? gpu_code_of_file(ByteView(head)) : std::nullopt) {
    summary.rows.push_back(*bare);
    return summary;
  }
  GPUWAY_TRY_ASSIGN(const auto ranges, ranges_of(source, window), "sections");
  Collector collector;
  std::uint64_t entries = 0;
  std::uint64_t left = kMaxSearched;
  for (auto range : ranges) {
    if (range.end - range.begin > left) range.end = range.begin + left;
    left -= range.end - range.begin;
    GPUWAY_TRY(walk(window, range, collector, summary, entries), "fatbin");
    if (left == 0) summary.truncated = true;
    if (summary.truncated) break;
  }
  summary.rows = collector.rows();
  return summary;
}

}  // namespace gpuway
