#include "sense/host/fixture_bytes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/path.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kHeader = 64, kProgramHeader = 56, kSectionHeader = 64, kSymbol = 24;

template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void align(std::string& out) { out.resize((out.size() + 7) / 8 * 8, '\0'); }

// A table of NUL-terminated texts that knows where each begins.
class Texts {
 public:
  std::uint32_t at(const std::string& text) {
    const auto [row, is_new] = known_.emplace(text, static_cast<std::uint32_t>(bytes_.size()));
    if (is_new) bytes_ += text + '\0';
    return row->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
  std::map<std::string, std::uint32_t> known_ = {{"", 0}};
};

// "sm_90a" or "compute_90 8.4" as one entry of a fatbin container.
std::string code_entry(const std::string& text) {
  const bool is_ptx = text.starts_with("compute_");
  const auto number_at = text.find('_') + 1;
  char* end = nullptr;
  const auto arch = static_cast<std::uint32_t>(std::strtoul(text.c_str() + number_at, &end, 10));
  std::uint64_t flags = 0x11;
  if (*end == 'a') flags |= 0x100000;
  if (*end == 'f') flags |= 0x200000;
  std::uint16_t major = 1, minor = 7;
  if (const auto isa = text.find(' '); is_ptx && isa != std::string::npos) {
    major = static_cast<std::uint16_t>(std::strtoul(text.c_str() + isa + 1, &end, 10));
    minor = static_cast<std::uint16_t>(std::strtoul(end + 1, nullptr, 10));
  }
  constexpr std::uint64_t payload = 24;
  std::string out;
  put<std::uint16_t>(out, is_ptx ? 1 : 2);
  put<std::uint16_t>(out, 0x0101);
  put<std::uint32_t>(out, 64);
  put(out, payload);
  put<std::uint64_t>(out, 0);
  put(out, minor);
  put(out, major);
  put(out, arch);
  put<std::uint64_t>(out, 0);
  put(out, flags);
  out.resize(64 + payload, '\0');
  return out;
}

std::string ident(bool is_64) {
  std::string out(
      "\x7f"
      "ELF",
      4);
  out += is_64 ? '\x02' : '\x01';
  out += "\x01\x01";
  out.resize(16, '\0');
  return out;
}

// The names of the sections that put_section's callers point into.
constexpr std::string_view kSectionNames("\0.nv_fatbin\0.shstrtab\0.dynstr\0.dynamic\0.dynsym\0", 47);

struct Part {
  std::uint64_t offset = 0, size = 0;
};

// The dynamic section's tables, behind the program headers.
struct Tables {
  Part text, symbols, dynamic, interpreter, code, section_names;
};

Tables append_tables(std::string& out, const ElfStub& stub) {
  Tables at;
  Texts names;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> rows;
  for (const auto& name : stub.needed) rows.emplace_back(1, names.at(name));
  if (stub.soname) rows.emplace_back(14, names.at(*stub.soname));
  if (stub.rpath) rows.emplace_back(15, names.at(*stub.rpath));
  if (stub.runpath) rows.emplace_back(29, names.at(*stub.runpath));
  std::string symbols(kSymbol, '\0');
  const auto add_symbol = [&](const std::string& name, std::uint16_t section) {
    put(symbols, names.at(name));
    symbols += '\x12';  // global function
    symbols += '\0';
    put(symbols, section);
    put<std::uint64_t>(symbols, section == 0 ? 0 : 0x1000);
    put<std::uint64_t>(symbols, 0);
  };
  for (const auto& name : stub.defines) add_symbol(name, 1);
  for (const auto& name : stub.asks) add_symbol(name, 0);
  const auto place = [&](const std::string& bytes) {
    align(out);
    const Part part{out.size(), bytes.size()};
    out += bytes;
    return part;
  };
  at.text = place(names.bytes());
  at.symbols = place(symbols);
  // One bucket whose chain holds every symbol.
  const auto count = static_cast<std::uint32_t>(symbols.size() / kSymbol);
  std::string hash;
  put<std::uint32_t>(hash, 1);
  put(hash, count);
  put<std::uint32_t>(hash, count > 1 ? 1 : 0);
  for (std::uint32_t i = 0; i < count; ++i) put<std::uint32_t>(hash, i == 0 || i + 1 == count ? 0 : i + 1);
  const auto hashed = place(hash);
  rows.insert(
      rows.end(),
      {{5, at.text.offset}, {10, at.text.size}, {6, at.symbols.offset}, {11, kSymbol}, {4, hashed.offset}, {0, 0}});
  std::string dynamic;
  for (const auto& [tag, value] : rows) {
    put(dynamic, tag);
    put(dynamic, value);
  }
  at.dynamic = place(dynamic);
  if (stub.interpreter) at.interpreter = place(*stub.interpreter + '\0');
  for (const auto& word : stub.strings) place(std::string(1, '\0') + word + '\0');
  if (!stub.gpu_code.empty()) {
    at.code = place(gpu_code_container(stub.gpu_code));
    at.section_names = place(std::string(kSectionNames));
  }
  align(out);
  return at;
}

void put_segment(std::string& out, std::uint32_t type, std::uint32_t flags, Part part) {
  put(out, type);
  put(out, flags);
  for (const auto value : {part.offset, part.offset, part.offset, part.size, part.size}) put(out, value);
  put<std::uint64_t>(out, 8);
}

struct Section {
  std::uint32_t name, type, link;
  std::uint64_t flags, entry_size;
  Part part;
};

void put_section(std::string& out, const Section& section) {
  put(out, section.name);
  put(out, section.type);
  put(out, section.flags);
  for (const auto value : {std::uint64_t{0}, section.part.offset, section.part.size}) put(out, value);
  put(out, section.link);
  put<std::uint32_t>(out, section.type == 11 ? 1 : 0);  // the first symbol that is not local
  put<std::uint64_t>(out, 8);
  put(out, section.entry_size);
}

}  // namespace

std::string gpu_code_container(const std::vector<std::string>& rows) {
  std::string body;
  for (const auto& row : rows) body += code_entry(row);
  std::string out("\x50\xED\x55\xBA\x01\x00\x10\x00", 8);
  put<std::uint64_t>(out, body.size());
  return out + body;
}

std::string elf_stub(const ElfStub& stub) {
  std::string header = ident(stub.is_64);
  put<std::uint16_t>(header, 3);
  put(header, stub.machine);
  put<std::uint32_t>(header, 1);
  if (!stub.is_64) {
    header.resize(kHeader, '\0');  // no program headers: it is passed over before they matter
    return header;
  }
  const std::uint16_t segments = stub.interpreter ? 4 : 3;
  std::string out(kHeader + segments * kProgramHeader, '\0');
  const auto at = append_tables(out, stub);
  const auto loaded = out.size();
  std::string programs;
  put_segment(programs, 1, 5, {0, loaded});
  put_segment(programs, 2, 6, at.dynamic);
  put_segment(programs, 0x6474e551, 6, {});
  if (stub.interpreter) put_segment(programs, 3, 4, at.interpreter);
  const bool has_code = at.code.size > 0;
  if (has_code) {
    out.append(kSectionHeader, '\0');
    put_section(out, {1, 1, 0, 2, 0, at.code});
    put_section(out, {12, 3, 0, 0, 0, at.section_names});
    put_section(out, {22, 3, 0, 2, 0, at.text});
    put_section(out, {30, 6, 3, 2, 16, at.dynamic});
    put_section(out, {39, 11, 3, 2, kSymbol, at.symbols});
  }
  put<std::uint64_t>(header, 0x1000);
  put(header, kHeader);
  put<std::uint64_t>(header, has_code ? loaded : 0);
  put<std::uint32_t>(header, 0);
  for (const auto value :
       {std::uint16_t{64}, std::uint16_t{56}, segments, std::uint16_t{64}, static_cast<std::uint16_t>(has_code ? 6 : 0),
        static_cast<std::uint16_t>(has_code ? 2 : 0)}) {
    put(header, value);
  }
  out.replace(0, header.size(), header);
  out.replace(kHeader, programs.size(), programs);
  return out;
}

std::string loader_cache_bytes(const std::vector<std::string>& paths, std::string_view release, std::uint16_t machine) {
  constexpr std::uint64_t header = 48, entry = 24;
  const std::uint32_t flags = machine == 183 ? 0x0A03 : 0x0303;
  std::string texts, entries;
  const auto text_at = header + entry * paths.size();
  for (const auto& path : paths) {
    const auto at = static_cast<std::uint32_t>(text_at + texts.size());
    put(entries, flags);
    put(entries, static_cast<std::uint32_t>(at + path.size() - file_name(path).size()));
    put(entries, at);
    put<std::uint32_t>(entries, 0);
    put<std::uint64_t>(entries, 0);
    texts += path + '\0';
  }
  texts.resize((texts.size() + 3) / 4 * 4, '\0');
  const auto generator = "ldconfig (GNU libc) stable release version " + std::string(release);
  const auto extension_at = static_cast<std::uint32_t>(text_at + texts.size());
  std::string out = "glibc-ld.so.cache1.1";
  put(out, static_cast<std::uint32_t>(paths.size()));
  put(out, static_cast<std::uint32_t>(texts.size()));
  put<std::uint32_t>(out, 2);  // little endian
  put(out, extension_at);
  out.resize(header, '\0');
  out += entries + texts;
  put<std::uint32_t>(out, 0xEAA42174);
  put<std::uint32_t>(out, 1);
  put<std::uint32_t>(out, 0);  // the generator's name
  put<std::uint32_t>(out, 0);
  put(out, extension_at + 8 + 16);
  put(out, static_cast<std::uint32_t>(generator.size()));
  return out + generator;
}

}  // namespace gpuway
