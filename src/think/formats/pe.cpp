#include "think/formats/pe.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "think/formats/block_reader.h"
#include "think/formats/file_format.h"
#include "think/formats/pe_exports.h"
#include "think/formats/pe_layout.h"
#include "think/formats/pe_resources.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kMaxName = 4096;
constexpr std::uint64_t kMaxLibraries = 4096;
// Symbols that one image imports from one DLL; torch_python.dll takes some 8,000 from torch_cpu.dll.
constexpr std::uint64_t kMaxSymbols = std::uint64_t{1} << 20;
constexpr std::size_t kMaxMissing = 16;

struct ImportRow {
  std::uint32_t names, time, forwarder, library, addresses;
  bool is_end() const { return library == 0 && addresses == 0; }
};

struct DelayRow {
  std::uint32_t attributes, library, module, addresses, names, bound, unload, time;
};

class SummaryReader {
 public:
  SummaryReader(BlockReader& reader, const pe::Layout& layout) : reader_(reader), layout_(layout) {}

  Result<PeSummary> read() {
    PeSummary out;
    out.machine = layout_.machine;
    out.is_64 = layout_.is_64;
    out.characteristics = layout_.characteristics;
    out.dll_characteristics = layout_.dll_characteristics;
    for (const auto& section : layout_.sections) out.sections.push_back(section.name);
    out.load_end = layout_.load_end();
    // Of a file that is cut off the tables may be gone; the loader refuses it anyhow.
    if (out.is_cut_off(reader_.size())) return out;
    GPUWAY_TRY(read_imports(out), "imports");
    GPUWAY_TRY(read_delayed_imports(out), "delayed imports");
    GPUWAY_TRY(read_exports(out), "exports");
    GPUWAY_TRY(read_load_config(out), "load configuration");
    pe::read_resources(reader_, layout_, out);
    return out;
  }

 private:
  Result<std::string> text(std::uint64_t address) {
    GPUWAY_TRY_ASSIGN(const auto at, layout_.offset_of(address));
    return reader_.c_string(at, reader_.size(), kMaxName);
  }

  Status read_imports(PeSummary& out) {
    const auto range = layout_.directories[pe::kImport];
    if (range.address == 0) return Done{};
    GPUWAY_TRY_ASSIGN(auto at, layout_.offset_of(range.address));
    for (std::uint64_t i = 0; i < kMaxLibraries; ++i, at += sizeof(ImportRow)) {
      GPUWAY_TRY_ASSIGN(const auto row, reader_.number<ImportRow>(at));
      if (row.is_end()) return Done{};
      GPUWAY_TRY_ASSIGN(auto name, text(row.library), "name");
      GPUWAY_TRY_ASSIGN(const auto first, first_symbol(row.names != 0 ? row.names : row.addresses), name);
      if (first != 0) out.imports.push_back(std::move(name));
    }
    return make_error(ErrorCode::too_large, "more than " + std::to_string(kMaxLibraries) + " DLLs");
  }

  // An import of nothing is passed over by the loader (measured with Wine 8; docs/loader-windows.md).
  Result<std::uint64_t> first_symbol(std::uint64_t address) {
    GPUWAY_TRY_ASSIGN(const auto at, layout_.offset_of(address));
    if (layout_.is_64) return reader_.number<std::uint64_t>(at);
    GPUWAY_TRY_ASSIGN(const auto value, reader_.number<std::uint32_t>(at));
    return std::uint64_t{value};
  }

  Status read_delayed_imports(PeSummary& out) {
    const auto range = layout_.directories[pe::kDelayImport];
    if (range.address == 0) return Done{};
    GPUWAY_TRY_ASSIGN(auto at, layout_.offset_of(range.address));
    for (std::uint64_t i = 0; i < kMaxLibraries; ++i, at += sizeof(DelayRow)) {
      GPUWAY_TRY_ASSIGN(const auto row, reader_.number<DelayRow>(at));
      if (row.library == 0) return Done{};
      // Before Visual C++ 7 these were addresses in memory, not relative to the image's base.
      std::uint64_t address = row.library;
      if ((row.attributes & 1) == 0 && address >= layout_.image_base) address -= layout_.image_base;
      GPUWAY_TRY_ASSIGN(auto name, text(address), "name");
      out.delayed_imports.push_back(std::move(name));
    }
    return make_error(ErrorCode::too_large, "more than " + std::to_string(kMaxLibraries) + " DLLs");
  }

  Status read_exports(PeSummary& out) {
    const auto range = layout_.directories[pe::kExport];
    if (range.address == 0) return Done{};
    GPUWAY_TRY_ASSIGN(const auto at, layout_.offset_of(range.address));
    GPUWAY_TRY_ASSIGN(const auto name, reader_.number<std::uint32_t>(at + 12));
    GPUWAY_TRY_ASSIGN(out.export_count, reader_.number<std::uint32_t>(at + 24));
    if (name == 0) return Done{};
    GPUWAY_TRY_ASSIGN(out.export_name, text(name), "name");
    return Done{};
  }

  // DependentLoadFlags: where the image's own imports are searched, whatever its loader asked for.
  Status read_load_config(PeSummary& out) {
    const auto range = layout_.directories[pe::kLoadConfig];
    if (range.address == 0) return Done{};
    GPUWAY_TRY_ASSIGN(const auto at, layout_.offset_of(range.address));
    GPUWAY_TRY_ASSIGN(const auto size, reader_.number<std::uint32_t>(at));
    const std::uint32_t place = layout_.is_64 ? 78 : 54;
    if (size < place + sizeof(std::uint16_t)) return Done{};
    GPUWAY_TRY_ASSIGN(out.dependent_load_flags, reader_.number<std::uint16_t>(at + place));
    return Done{};
  }

  BlockReader& reader_;
  const pe::Layout& layout_;
};

// The symbols that one import table row asks for, each as a name or "#ordinal".
class WantedSymbols {
 public:
  WantedSymbols(ByteView file, const pe::Layout& layout) : file_(file), layout_(layout) {}

  Status each(const std::string& library, const std::function<void(std::string_view name, std::uint64_t ordinal)>& what) const {
    const auto wanted = to_lower(library);
    GPUWAY_TRY_ASSIGN(auto at, layout_.offset_of(layout_.directories[pe::kImport].address));
    for (std::uint64_t i = 0; i < kMaxLibraries; ++i, at += sizeof(ImportRow)) {
      const auto row = file_.number<ImportRow>(at);
      if (!row) return make_error(ErrorCode::malformed, "import table: behind the end of the file");
      if (row->is_end()) return Done{};
      GPUWAY_TRY_ASSIGN(const auto place, layout_.offset_of(row->library));
      const auto name = file_.c_string(place);
      if (!name || to_lower(*name) != wanted) continue;
      GPUWAY_TRY(symbols(row->names != 0 ? row->names : row->addresses, what));
    }
    return Done{};
  }

 private:
  Status symbols(std::uint32_t table, const std::function<void(std::string_view, std::uint64_t)>& what) const {
    GPUWAY_TRY_ASSIGN(const auto at, layout_.offset_of(table));
    const std::uint64_t step = layout_.is_64 ? 8 : 4;
    const auto by_ordinal = std::uint64_t{1} << (step * 8 - 1);
    for (std::uint64_t i = 0; i < kMaxSymbols; ++i) {
      const auto value = layout_.is_64 ? file_.number<std::uint64_t>(at + i * step)
                                       : std::optional<std::uint64_t>(file_.number<std::uint32_t>(at + i * step));
      if (!value) return make_error(ErrorCode::malformed, "import names: behind the end of the file");
      if (*value == 0) return Done{};
      if ((*value & by_ordinal) != 0) {
        what({}, *value & 0xFFFF);
        continue;
      }
      GPUWAY_TRY_ASSIGN(const auto place, layout_.offset_of(*value));
      const auto name = file_.c_string(place + 2, 65536);   // behind the hint
      if (!name) return make_error(ErrorCode::malformed, "import name at " + std::to_string(place) + " has no end");
      what(*name, 0);
    }
    return make_error(ErrorCode::too_large, "more than " + std::to_string(kMaxSymbols) + " imported symbols");
  }

  ByteView file_;
  const pe::Layout& layout_;
};

// "OTHER.Name" leads on to OTHER.dll; the name of the DLL may have dots of its own.
std::string forwarded_library(const std::string& forward) {
  auto library = forward.substr(0, forward.rfind('.'));
  const auto lower = to_lower(library);
  if (!lower.ends_with(".dll")) library += ".dll";
  return library;
}

Result<pe::Layout> layout_of(ByteView file) {
  const MemorySource source(file);
  BlockReader reader(source);
  return pe::read_layout(reader);
}

Status check(ImportCheck& answer, ByteView importer, ByteView exporter) {
  GPUWAY_TRY_ASSIGN(const auto layout, layout_of(importer), answer.importer);
  GPUWAY_TRY_ASSIGN(const auto other, layout_of(exporter), answer.exporter);
  GPUWAY_TRY_ASSIGN(const auto exports, pe::Exports::read(exporter, other), answer.exporter);
  return WantedSymbols(importer, layout).each(answer.library, [&](std::string_view name, std::uint64_t ordinal) {
    const auto found = name.empty() ? exports.by_ordinal(ordinal) : exports.by_name(name);
    if (!found) {
      ++answer.missing_count;
      if (answer.missing.size() < kMaxMissing) answer.missing.push_back(name.empty() ? "#" + std::to_string(ordinal) : std::string(name));
    } else if (!found->forward.empty()) {
      auto library = forwarded_library(found->forward);
      auto& all = answer.forwarded_to;
      if (std::find(all.begin(), all.end(), library) == all.end()) all.push_back(std::move(library));
    }
  });
}

}  // namespace

Result<PeSummary> summarize_pe(const ByteSource& source) {
  BlockReader reader(source);
  GPUWAY_TRY_ASSIGN(const auto layout, pe::read_layout(reader), "pe");
  return SummaryReader(reader, layout).read();
}

BinaryView classify_pe(const ByteSource& source) {
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
  constexpr std::uint64_t dos_header = 64;
  if (source.size() < dos_header) {
    view.outcome = BinaryView::Outcome::too_short;
    view.detail = format();
    return view;
  }
  if (head[0] != 'M' || head[1] != 'Z') {
    view.outcome = BinaryView::Outcome::other_format;
    view.detail = format();
    return view;
  }
  auto summary = summarize_pe(source);
  if (summary) {
    view.outcome = BinaryView::Outcome::pe;
    view.pe = summary.take();
    return view;
  }
  view.outcome = summary.error().code == ErrorCode::malformed ? BinaryView::Outcome::malformed : BinaryView::Outcome::unreadable;
  view.reason = summary.error().code;
  view.detail = summary.error().text();
  BlockReader reader(source);
  if (const auto header = pe::read_header(reader)) {
    view.pe.emplace();
    view.pe->machine = header->machine;
    view.pe->is_64 = header->is_64;
    view.pe->characteristics = header->characteristics;
  }
  return view;
}

ImportCheck run_import_check(const ImportCheck& question, const std::function<Result<ByteView>(const std::string& path)>& open) {
  auto answer = question;
  const auto importer = open(question.importer);
  const auto exporter = importer ? open(question.exporter) : importer;
  if (!importer || !exporter) {
    answer.detail = !importer ? importer.error().text() : exporter.error().text();
    return answer;
  }
  const auto status = check(answer, *importer, *exporter);
  if (!status) {
    answer.detail = status.error().text();
    return answer;
  }
  answer.outcome = ImportCheck::Outcome::looked;
  return answer;
}

}  // namespace gpuway
