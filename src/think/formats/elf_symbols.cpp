#include "think/formats/elf_symbols.h"

#include <algorithm>
#include <optional>

#include "think/formats/elf_layout.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kSymbol = 24;   // sizeof(Elf64_Sym)
constexpr std::uint64_t kMaxSymbols = 8'000'000;
constexpr std::size_t kMaxMissing = 16;

struct Symbol {
  std::uint32_t name;
  std::uint8_t info, other;
  std::uint16_t section;
  std::uint64_t value, size;
};

Error malformed(std::string detail) { return make_error(ErrorCode::malformed, std::move(detail)); }

std::uint32_t gnu_hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const unsigned char c : name) hash = hash * 33 + c;
  return hash;
}

std::uint32_t sysv_hash_of(std::string_view name) {
  std::uint32_t hash = 0;
  for (const unsigned char c : name) {
    hash = (hash << 4) + c;
    const std::uint32_t high = hash & 0xf0000000;
    hash ^= high >> 24;
    hash &= ~high;
  }
  return hash;
}

// The rest of the file from the place of a virtual address.
Result<ByteView> tail_at(ByteView file, const elf::Layout& layout, std::uint64_t address, const char* what) {
  GPUWAY_TRY_ASSIGN(const auto offset, layout.offset_of(address), what);
  const auto part = offset <= file.size() ? file.part(offset, file.size() - offset) : std::nullopt;
  if (!part) return malformed(std::string(what) + " at offset " + std::to_string(offset) + " lies behind the file");
  return *part;
}

// Definitions are those that do_lookup_x accepts: with a value (or absolute, or TLS) and of a usable type and binding.
bool is_definition(const Symbol& symbol) {
  const auto type = symbol.info & 15, binding = symbol.info >> 4;
  if (symbol.section == 0) return false;
  if (symbol.value == 0 && symbol.section != 0xfff1 && type != 6) return false;
  constexpr unsigned kTypes = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 5 | 1U << 6 | 1U << 10;   // NOTYPE OBJECT FUNC COMMON TLS IFUNC
  if ((kTypes >> type & 1U) == 0) return false;
  if ((symbol.other & 3) == 1 || (symbol.other & 3) == 2) return false;   // internal, hidden
  return binding == 1 || binding == 2 || binding == 10;                   // global, weak, unique
}

}  // namespace

std::string_view ElfSymbols::name_at(std::uint32_t offset) const {
  return strings_.c_string(offset, 65536).value_or(std::string_view{});
}

Result<ElfSymbols> ElfSymbols::read(ByteView file) {
  const MemorySource source(file);
  BlockReader reader(source);
  GPUWAY_TRY_ASSIGN(const auto layout, elf::read_layout(reader));
  ElfSymbols out;
  const auto symtab = layout.value(elf::kSymtab), strtab = layout.value(elf::kStrtab);
  if (!symtab || !strtab) return out;
  if (!layout.is64 || !layout.little_endian) return make_error(ErrorCode::unsupported, "symbols of a 32-bit or big-endian file");
  GPUWAY_TRY_ASSIGN(out.symbols_, tail_at(file, layout, *symtab, "symbol table"));
  GPUWAY_TRY_ASSIGN(out.strings_, tail_at(file, layout, *strtab, "string table"));
  if (const auto size = layout.value(elf::kStrsz)) {
    const auto part = out.strings_.part(0, *size);
    if (!part) return malformed("string table of " + std::to_string(*size) + " bytes does not fit into the file");
    out.strings_ = *part;
  }

  // ---- hash table, and how many symbols there are
  if (const auto gnu = layout.value(elf::kGnuHash)) {
    GPUWAY_TRY_ASSIGN(out.hash_, tail_at(file, layout, *gnu, "GNU hash table"));
    const auto buckets = out.hash_.number<std::uint32_t>(0), first = out.hash_.number<std::uint32_t>(4),
               words = out.hash_.number<std::uint32_t>(8), shift = out.hash_.number<std::uint32_t>(12);
    if (!buckets || !first || !words || !shift) return malformed("GNU hash table is cut off");
    if (*buckets > kMaxSymbols || *words > kMaxSymbols) return malformed("GNU hash table with " + std::to_string(*buckets) + " buckets");
    out.gnu_ = true;
    out.buckets_ = *buckets;
    out.first_ = *first;
    out.bloom_words_ = *words;
    out.bloom_shift_ = *shift & 63;
    const auto bucket_at = 16 + std::uint64_t{*words} * 8, chain_at = bucket_at + std::uint64_t{*buckets} * 4;
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < *buckets; ++i) {
      const auto value = out.hash_.number<std::uint32_t>(bucket_at + std::uint64_t{i} * 4);
      if (!value) return malformed("GNU hash bucket " + std::to_string(i) + " is cut off");
      last = std::max(last, *value);
    }
    out.symbol_count_ = *first;
    if (last >= *first) {
      for (std::uint64_t index = last;; ++index) {
        if (index > kMaxSymbols) return malformed("GNU hash chain without an end");
        const auto value = out.hash_.number<std::uint32_t>(chain_at + (index - *first) * 4);
        if (!value) return malformed("GNU hash chain is cut off");
        if ((*value & 1) != 0) {
          out.symbol_count_ = index + 1;
          break;
        }
      }
    }
  } else if (const auto sysv = layout.value(elf::kHash)) {
    GPUWAY_TRY_ASSIGN(out.hash_, tail_at(file, layout, *sysv, "hash table"));
    const auto buckets = out.hash_.number<std::uint32_t>(0), chains = out.hash_.number<std::uint32_t>(4);
    if (!buckets || !chains || *chains > kMaxSymbols) return malformed("hash table header");
    out.buckets_ = *buckets;
    out.symbol_count_ = *chains;
  }
  if (out.symbol_count_ > out.symbols_.size() / kSymbol) {
    return malformed(std::to_string(out.symbol_count_) + " symbols do not fit into the file");
  }

  // ---- version indexes
  if (const auto versym = layout.value(elf::kVersym)) {
    GPUWAY_TRY_ASSIGN(out.versions_, tail_at(file, layout, *versym, "version table"));
    const auto remember = [&](std::uint16_t index, Version version) {
      index &= 0x7fff;
      if (index >= out.version_names_.size()) out.version_names_.resize(index + 1U);
      out.version_names_[index] = version;
    };
    if (const auto need = layout.value(elf::kVerneed)) {
      GPUWAY_TRY_ASSIGN(const auto table, tail_at(file, layout, *need, "version needs"));
      std::uint64_t at = 0;
      const auto files = std::min<std::uint64_t>(layout.value(elf::kVerneednum).value_or(0), 65536);
      for (std::uint64_t i = 0; i < files; ++i) {
        const auto count = table.number<std::uint16_t>(at + 2);
        const auto file_name = table.number<std::uint32_t>(at + 4), first = table.number<std::uint32_t>(at + 8),
                   next = table.number<std::uint32_t>(at + 12);
        if (!count || !file_name || !first || !next) return malformed("version need " + std::to_string(i) + " is cut off");
        auto aux = at + *first;
        for (std::uint16_t k = 0; k < *count; ++k) {
          const auto other = table.number<std::uint16_t>(aux + 6);
          const auto name = table.number<std::uint32_t>(aux + 8), step = table.number<std::uint32_t>(aux + 12);
          if (!other || !name || !step) return malformed("version need " + std::to_string(i) + " is cut off");
          remember(*other, {out.name_at(*name), out.name_at(*file_name), false});
          if (*step == 0) break;
          aux += *step;
        }
        if (*next == 0) break;
        at += *next;
      }
    }
    if (const auto definitions = layout.value(elf::kVerdef)) {
      GPUWAY_TRY_ASSIGN(const auto table, tail_at(file, layout, *definitions, "version definitions"));
      std::uint64_t at = 0;
      const auto count = std::min<std::uint64_t>(layout.value(elf::kVerdefnum).value_or(0), 65536);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto flags = table.number<std::uint16_t>(at + 2), index = table.number<std::uint16_t>(at + 4);
        const auto first = table.number<std::uint32_t>(at + 12), next = table.number<std::uint32_t>(at + 16);
        const auto name = first ? table.number<std::uint32_t>(at + *first) : std::nullopt;
        if (!flags || !index || !next || !name) return malformed("version definition " + std::to_string(i) + " is cut off");
        // The base definition is the file's own name and gives its index no version (_dl_check_map_versions).
        if ((*flags & 1) == 0) remember(*index, {out.name_at(*name), {}, true});
        if (*next == 0) break;
        at += *next;
      }
    }
  }

  // ---- references
  for (std::uint64_t i = 1; i < out.symbol_count_; ++i) {
    const auto symbol = *out.symbols_.number<Symbol>(i * kSymbol);
    if (symbol.section != 0 || symbol.info >> 4 != 1) continue;   // defined here, or not a strong global
    Reference reference;
    reference.name = out.name_at(symbol.name);
    if (reference.name.empty()) continue;
    if (const auto version = out.versions_.number<std::uint16_t>(i * 2)) {
      const auto index = static_cast<std::size_t>(*version & 0x7fff);
      if (index > 1 && index < out.version_names_.size()) {
        reference.version = out.version_names_[index].name;
        reference.file = out.version_names_[index].file;
      }
    }
    reference.gnu_hash = gnu_hash_of(reference.name);
    out.references_.push_back(reference);
  }
  return out;
}

bool ElfSymbols::matches(std::uint32_t index, const Reference& reference) const {
  const auto symbol = symbols_.number<Symbol>(index * kSymbol);
  if (!symbol || !is_definition(*symbol) || name_at(symbol->name) != reference.name) return false;
  const auto version = versions_.number<std::uint16_t>(index * std::uint64_t{2});
  if (!version) return true;   // no versions in this file
  const auto at = static_cast<std::size_t>(*version & 0x7fff);
  if (reference.version.empty()) {
    // A reference without version takes the base or default definition; a hidden one only when it is the base (index 2
    // at most, see check_match's "num_versions" rule).
    return (*version & 0x8000) == 0 || at <= 2;
  }
  // An index that no definition names (1: global, without version) satisfies every version when it is not hidden.
  if (at >= version_names_.size() || !version_names_[at].defined) return (*version & 0x8000) == 0;
  return at < version_names_.size() && version_names_[at].defined && version_names_[at].name == reference.version;
}

bool ElfSymbols::defines(const Reference& reference) const {
  if (buckets_ == 0) return false;
  if (!gnu_) {
    const auto hash = sysv_hash_of(reference.name);
    auto index = hash_.number<std::uint32_t>(8 + std::uint64_t{hash % buckets_} * 4);
    for (std::uint64_t steps = 0; index && *index != 0 && *index < symbol_count_ && steps < symbol_count_; ++steps) {
      if (matches(*index, reference)) return true;
      index = hash_.number<std::uint32_t>(8 + (std::uint64_t{buckets_} + *index) * 4);
    }
    return false;
  }
  const auto hash = reference.gnu_hash;
  if (bloom_words_ > 0) {
    const auto word = hash_.number<std::uint64_t>(16 + std::uint64_t{hash / 64 % bloom_words_} * 8);
    const auto mask = std::uint64_t{1} << hash % 64 | std::uint64_t{1} << (std::uint64_t{hash} >> bloom_shift_) % 64;
    if (!word || (*word & mask) != mask) return false;
  }
  const auto bucket_at = 16 + std::uint64_t{bloom_words_} * 8, chain_at = bucket_at + std::uint64_t{buckets_} * 4;
  const auto start = hash_.number<std::uint32_t>(bucket_at + std::uint64_t{hash % buckets_} * 4);
  if (!start || *start < first_) return false;
  for (std::uint64_t index = *start; index < symbol_count_; ++index) {
    const auto value = hash_.number<std::uint32_t>(chain_at + (index - first_) * 4);
    if (!value) return false;
    if ((*value | 1) == (hash | 1) && matches(static_cast<std::uint32_t>(index), reference)) return true;
    if ((*value & 1) != 0) return false;
  }
  return false;
}

SymbolCheck run_symbol_check(const SymbolCheck& question, const ViewOpener& open, SymbolsByPath& parsed) {
  SymbolCheck answer = question;
  answer.missing.clear();
  answer.missing_count = 0;
  const auto symbols_of = [&](const std::string& path) -> std::shared_ptr<const ElfSymbols> {
    if (const auto found = parsed.find(path); found != parsed.end()) return found->second;
    std::shared_ptr<const ElfSymbols> symbols;
    const auto view = open(path);
    if (!view) {
      answer.detail = path + ": " + view.error().text();
    } else if (auto read = ElfSymbols::read(*view)) {
      symbols = std::make_shared<const ElfSymbols>(read.take());
    } else {
      answer.detail = path + ": " + read.error().text();
    }
    parsed.emplace(path, symbols);
    return symbols;
  };
  const auto object = symbols_of(question.object);
  std::vector<std::shared_ptr<const ElfSymbols>> scope;
  for (const auto& path : question.scope) scope.push_back(symbols_of(path));
  const bool readable = object != nullptr && std::none_of(scope.begin(), scope.end(), [](const auto& s) { return s == nullptr; });
  if (!readable) {
    answer.outcome = SymbolCheck::Outcome::unreadable;
    return answer;
  }
  answer.outcome = SymbolCheck::Outcome::looked;
  for (const auto& reference : object->references()) {
    const bool found = std::any_of(scope.begin(), scope.end(), [&](const auto& symbols) { return symbols->defines(reference); });
    if (found) continue;
    ++answer.missing_count;
    if (answer.missing.size() < kMaxMissing) {
      answer.missing.push_back({std::string(reference.name), std::string(reference.version), std::string(reference.file)});
    }
  }
  return answer;
}

}  // namespace gpuway
