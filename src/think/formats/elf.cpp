#include "think/formats/elf.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/text.h"
#include "think/formats/block_reader.h"
#include "think/formats/elf_layout.h"
#include "think/formats/file_format.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kMaxName = 4096;
// TensorFlow 2.21's framework library has a run path of some 20,000 bytes.
constexpr std::uint64_t kMaxRunPath = 1 << 20;
// All texts of one file together; TensorFlow 2.21's longest run path has half a MiB.
constexpr std::uint64_t kMaxText = 4 << 20;
constexpr std::uint64_t kMaxVersions = 65536;

// A run path without the entries that stand earlier in it already: the loader drops them too (glibc elf/dl-load.c,
// fillin_rpath), and TensorFlow 2.21 repeats 18 folders some 500 times.
std::string without_repeats(const std::string& run_path) {
  std::set<std::string_view> seen;
  std::string out;
  bool first = true;
  for (const auto entry : split(run_path, ':')) {
    if (!seen.insert(entry).second) continue;
    if (!first) out += ':';
    out += entry;
    first = false;
  }
  // An empty entry is the current folder; an empty run path is none at all.
  if (out.empty() && !run_path.empty()) out = ":";
  return out;
}

class SummaryReader {
 public:
  SummaryReader(BlockReader& reader, const elf::Layout& layout) : reader_(reader), layout_(layout) {}

  Result<ElfSummary> read() {
    ElfSummary out;
    out.elf_class = layout_.is64 ? ElfClass::elf64 : ElfClass::elf32;
    out.little_endian = layout_.little_endian;
    out.machine = layout_.machine;
    out.type = layout_.type;
    out.os_abi = layout_.os_abi;
    out.abi_version = layout_.abi_version;
    bool loads = false, has_dynamic = false;
    for (const auto& segment : layout_.segments) {
      loads = loads || segment.type == elf::kPtLoad;
      has_dynamic = has_dynamic || segment.type == elf::kPtDynamic;
      if (segment.type == elf::kPtLoad) {
        const auto room = ~std::uint64_t{0} - segment.offset;
        out.load_end = std::max(out.load_end, segment.offset + std::min(segment.file_size, room));
      }
      if (segment.type == elf::kPtGnuStack) out.executable_stack = (segment.flags & elf::kPfExecute) != 0;
      if (segment.type == elf::kPtInterp) {
        GPUWAY_TRY_ASSIGN(out.interpreter, reader_.c_string(segment.offset, reader_.size(), kMaxName), "interpreter");
      }
    }
    // A shared object without them is refused by the loader (what is split off for a debugger is such a file). Of another
    // byte order nothing is read.
    if (out.type == elf::kShared && out.little_endian && (!loads || !has_dynamic)) {
      return make_error(ErrorCode::malformed, loads ? "no dynamic section" : "no loadable segment");
    }
    if (layout_.dynamic.empty()) return out;
    // A file cut off behind its program headers still tells its class and machine; its strings may be gone.
    auto status = read_dynamic(out);
    const bool cut_off = out.load_end > reader_.size();
    if (!status && !cut_off) return status.take_error();
    return out;
  }

 private:
  Status read_dynamic(ElfSummary& out) {
    const auto strings = layout_.value(elf::kStrtab);
    if (!strings) return Done{};
    GPUWAY_TRY_ASSIGN(strings_, layout_.offset_of(*strings), "string table");
    const auto size = layout_.value(elf::kStrsz).value_or(0);
    strings_end_ = size > ~strings_ ? ~std::uint64_t{0} : strings_ + size;
    for (const auto& entry : layout_.dynamic) {
      if (entry.tag == elf::kNeeded) {
        GPUWAY_TRY_ASSIGN(auto name, text(entry.value, kMaxName), "needed library");
        out.needed.push_back(std::move(name));
      }
    }
    if (const auto at = layout_.value(elf::kSoname)) {
      GPUWAY_TRY_ASSIGN(out.soname, text(*at, kMaxName), "soname");
    }
    if (const auto at = layout_.value(elf::kRpath)) {
      GPUWAY_TRY_ASSIGN(const auto path, text(*at, kMaxRunPath), "rpath");
      out.rpath = without_repeats(path);
    }
    if (const auto at = layout_.value(elf::kRunpath)) {
      GPUWAY_TRY_ASSIGN(const auto path, text(*at, kMaxRunPath), "runpath");
      out.runpath = without_repeats(path);
    }
    out.flags = layout_.value(elf::kFlags).value_or(0);
    out.flags_1 = layout_.value(elf::kFlags1).value_or(0);
    GPUWAY_TRY(read_version_needs(out), "version needs");
    GPUWAY_TRY(read_version_definitions(out), "version definitions");
    return Done{};
  }

  Result<std::string> text(std::uint64_t at, std::uint64_t limit) {
    if (strings_ > strings_end_ || at >= strings_end_ - strings_) {
      return make_error(ErrorCode::malformed, "string " + std::to_string(at) + " lies behind the string table of " +
                                                  std::to_string(strings_end_ - strings_) + " bytes");
    }
    GPUWAY_TRY_ASSIGN(auto text, reader_.c_string(strings_ + at, strings_end_, limit));
    // Entries may share one string: a file of a MiB could ask for hundreds of them here.
    text_bytes_ += text.size();
    if (text_bytes_ > kMaxText) return make_error(ErrorCode::too_large, "more than " + std::to_string(kMaxText) + " bytes of names");
    return text;
  }

  Status read_version_needs(ElfSummary& out) {
    const auto address = layout_.value(elf::kVerneed);
    if (!address) return Done{};
    GPUWAY_TRY_ASSIGN(auto at, layout_.offset_of(*address));
    const auto files = std::min(layout_.value(elf::kVerneednum).value_or(0), kMaxVersions);
    std::uint64_t total = 0;
    for (std::uint64_t i = 0; i < files; ++i) {
      struct Need {
        std::uint16_t version, count;
        std::uint32_t file, first, next;
      };
      GPUWAY_TRY_ASSIGN(const auto need, reader_.number<Need>(at));
      GPUWAY_TRY_ASSIGN(const auto file, text(need.file, kMaxName));
      auto aux = at + need.first;
      for (std::uint16_t k = 0; k < need.count && total < kMaxVersions; ++k, ++total) {
        struct Aux {
          std::uint32_t hash;
          std::uint16_t flags, other;
          std::uint32_t name, next;
        };
        GPUWAY_TRY_ASSIGN(const auto row, reader_.number<Aux>(aux));
        GPUWAY_TRY_ASSIGN(auto version, text(row.name, kMaxName));
        out.version_needs.push_back({file, std::move(version), (row.flags & 2) != 0});
        if (row.next == 0) break;
        aux += row.next;
      }
      if (need.next == 0) break;
      at += need.next;
    }
    return Done{};
  }

  Status read_version_definitions(ElfSummary& out) {
    const auto address = layout_.value(elf::kVerdef);
    if (!address) return Done{};
    GPUWAY_TRY_ASSIGN(auto at, layout_.offset_of(*address));
    const auto count = std::min(layout_.value(elf::kVerdefnum).value_or(0), kMaxVersions);
    out.has_versions = count > 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      struct Definition {
        std::uint16_t version, flags, index, count;
        std::uint32_t hash, first, next;
      };
      GPUWAY_TRY_ASSIGN(const auto row, reader_.number<Definition>(at));
      if ((row.flags & 1) == 0) {   // not the base definition, which is the file's own name
        GPUWAY_TRY_ASSIGN(const auto name, reader_.number<std::uint32_t>(at + row.first));
        GPUWAY_TRY_ASSIGN(auto version, text(name, kMaxName));
        out.version_definitions.push_back(std::move(version));
      }
      if (row.next == 0) break;
      at += row.next;
    }
    return Done{};
  }

  BlockReader& reader_;
  const elf::Layout& layout_;
  std::uint64_t strings_ = 0, strings_end_ = 0, text_bytes_ = 0;
};

// The part of the header that the loader looks at before it tells other machines' files apart, and refuses for good.
std::string fault_of_header(std::span<const unsigned char> head) {
  if (head[6] != 1) return "ident version " + std::to_string(head[6]) + ", expected 1";
  if (std::any_of(head.begin() + 9, head.begin() + 16, [](unsigned char byte) { return byte != 0; })) return "padding in the ident is not 0";
  std::uint32_t version = 0;
  std::memcpy(&version, head.data() + 20, sizeof(version));
  const bool little_endian = head[5] != 2;
  if (little_endian && version != 1) return "version " + std::to_string(version) + ", expected 1";
  return {};
}

// What the header says of a file whose tables cannot be read: enough to tell another machine's file.
ElfSummary header_only(std::span<const unsigned char> head) {
  ElfSummary out;
  out.elf_class = head[4] == 2 ? ElfClass::elf64 : head[4] == 1 ? ElfClass::elf32 : ElfClass::other;
  out.little_endian = head[5] != 2;
  const auto number = [&](std::size_t at) {
    const unsigned low = head[at], high = head[at + 1];
    return static_cast<std::uint16_t>(out.little_endian ? high << 8 | low : low << 8 | high);
  };
  out.type = number(16);
  out.machine = number(18);
  out.os_abi = head[7];
  out.abi_version = head[8];
  return out;
}

}  // namespace

Result<ElfSummary> summarize_elf(const ByteSource& source) {
  BlockReader reader(source);
  GPUWAY_TRY_ASSIGN(const auto layout, elf::read_layout(reader), "elf");
  GPUWAY_TRY_ASSIGN(auto summary, SummaryReader(reader, layout).read(), "elf");
  return summary;
}

BinaryView classify_elf(const ByteSource& source) {
  BinaryView view;
  view.file_size = source.size();
  view.reason = ErrorCode::malformed;
  unsigned char head[512] = {};
  const auto got = source.read(0, std::as_writable_bytes(std::span(head)));
  if (!got) {
    view.reason = got.error().code;
    view.detail = got.error().text();
    return view;
  }
  const auto format = [&] { return std::string(format_of_file(ByteView(std::as_bytes(std::span(head).first(*got))))); };
  // glibc reads a header's worth of bytes first and says "file too short" when there are fewer (elf/dl-load.c open_verify).
  if (source.size() < 64) {
    view.outcome = BinaryView::Outcome::too_short;
    view.detail = format();
    return view;
  }
  if (head[0] != 0x7f || head[1] != 'E' || head[2] != 'L' || head[3] != 'F') {
    view.outcome = BinaryView::Outcome::other_format;
    view.detail = format();
    return view;
  }
  if (auto fault = fault_of_header(head); !fault.empty()) {
    view.outcome = BinaryView::Outcome::malformed;
    view.detail = std::move(fault);
    return view;
  }
  auto summary = summarize_elf(source);
  if (!summary) {
    view.elf = header_only(head);
    view.outcome = summary.error().code == ErrorCode::malformed ? BinaryView::Outcome::malformed : BinaryView::Outcome::unreadable;
    view.reason = summary.error().code;
    view.detail = summary.error().text();
    return view;
  }
  view.outcome = BinaryView::Outcome::elf;
  view.elf = summary.take();
  return view;
}

}  // namespace gpuway
