#include "think/formats/elf_symbols.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "think/formats/elf_layout.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kSymbol = 24;   // sizeof(Elf64_Sym)
constexpr std::uint64_t kMaxSymbols = 8'000'000;
constexpr std::size_t kMaxMissing = 16;
// Real chains have a handful of entries; a hostile table may be one chain of millions, asked for by every reference.
constexpr std::uint64_t kMaxChain = 65536;

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

// How many symbols a GNU hash table covers: up to the end of the chain of its last bucket.
Result<std::uint64_t> hashed_count(ByteView hash, std::uint64_t limit) {
  const auto buckets = *hash.number<std::uint32_t>(0), first = *hash.number<std::uint32_t>(4), words = *hash.number<std::uint32_t>(8);
  const auto bucket_at = 16 + std::uint64_t{words} * 8, chain_at = bucket_at + std::uint64_t{buckets} * 4;
  std::uint64_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) {
    const auto value = hash.number<std::uint32_t>(bucket_at + std::uint64_t{i} * 4);
    if (!value) return malformed("GNU hash bucket " + std::to_string(i) + " is cut off");
    last = std::max<std::uint64_t>(last, *value);
  }
  if (last < first) return first;
  for (auto index = last; index < limit; ++index) {
    const auto value = hash.number<std::uint32_t>(chain_at + (index - first) * 4);
    if (!value) break;
    if ((*value & 1) != 0) return index + 1;
  }
  return malformed("GNU hash chain without an end");
}

}  // namespace

std::string_view ElfSymbols::name_at(std::uint32_t offset) const {
  return strings_.c_string(offset, 65536).value_or(std::string_view{});
}

Status ElfSymbols::read_gnu_hash(bool is_program) {
  const auto buckets = hash_.number<std::uint32_t>(0), first = hash_.number<std::uint32_t>(4),
             words = hash_.number<std::uint32_t>(8), shift = hash_.number<std::uint32_t>(12);
  if (!buckets || !first || !words || !shift) return malformed("GNU hash table is cut off");
  if (*buckets > kMaxSymbols || *words > kMaxSymbols) {
    return malformed("GNU hash table with " + std::to_string(*buckets) + " buckets and " + std::to_string(*words) + " filter words");
  }
  gnu_ = true;
  buckets_ = *buckets;
  first_ = *first;
  bloom_words_ = *words;
  bloom_shift_ = *shift & 63;
  // The table holds only what can be looked up, and those symbols stand behind all others. A program at a fixed address
  // is the exception: its undefined functions may have an address of their own there and are hashed.
  symbol_count_ = std::min(symbols_.size() / kSymbol, kMaxSymbols);
  if (first_ > symbol_count_) return malformed("GNU hash table begins at symbol " + std::to_string(first_) + ", behind the file");
  reference_count_ = first_;
  if (is_program) {
    GPUWAY_TRY_ASSIGN(reference_count_, hashed_count(hash_, symbol_count_));
  }
  return Done{};
}

Status ElfSymbols::read_sysv_hash() {
  const auto buckets = hash_.number<std::uint32_t>(0), chains = hash_.number<std::uint32_t>(4);
  if (!buckets || !chains || *chains > kMaxSymbols) return malformed("hash table header");
  buckets_ = *buckets;
  symbol_count_ = *chains;
  reference_count_ = symbol_count_;
  if (symbol_count_ > symbols_.size() / kSymbol) {
    return malformed(std::to_string(symbol_count_) + " symbols do not fit into the file");
  }
  return Done{};
}

void ElfSymbols::remember(std::uint16_t index, Version version) {
  index &= 0x7fff;
  if (index >= version_names_.size()) version_names_.resize(index + 1U);
  version_names_[index] = version;
}

Status ElfSymbols::read_version_needs(ByteView table, std::uint64_t files) {
  std::uint64_t at = 0;
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
      remember(*other, {name_at(*name), name_at(*file_name), false});
      if (*step == 0) break;
      aux += *step;
    }
    if (*next == 0) break;
    at += *next;
  }
  return Done{};
}

Status ElfSymbols::read_version_definitions(ByteView table, std::uint64_t count) {
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto flags = table.number<std::uint16_t>(at + 2), index = table.number<std::uint16_t>(at + 4);
    const auto first = table.number<std::uint32_t>(at + 12), next = table.number<std::uint32_t>(at + 16);
    const auto name = first ? table.number<std::uint32_t>(at + *first) : std::nullopt;
    if (!flags || !index || !next || !name) return malformed("version definition " + std::to_string(i) + " is cut off");
    // The base definition is the file's own name and gives its index no version (_dl_check_map_versions).
    if ((*flags & 1) == 0) remember(*index, {name_at(*name), {}, true});
    if (*next == 0) break;
    at += *next;
  }
  return Done{};
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
  if (const auto gnu = layout.value(elf::kGnuHash)) {
    GPUWAY_TRY_ASSIGN(out.hash_, tail_at(file, layout, *gnu, "GNU hash table"));
    GPUWAY_TRY(out.read_gnu_hash(layout.type == 2 /* ET_EXEC */));
  } else if (const auto sysv = layout.value(elf::kHash)) {
    GPUWAY_TRY_ASSIGN(out.hash_, tail_at(file, layout, *sysv, "hash table"));
    GPUWAY_TRY(out.read_sysv_hash());
  }
  const auto versym = layout.value(elf::kVersym);
  if (!versym) return out;
  constexpr std::uint64_t kMaxVersions = 65536;
  GPUWAY_TRY_ASSIGN(out.versions_, tail_at(file, layout, *versym, "version table"));
  if (const auto need = layout.value(elf::kVerneed)) {
    GPUWAY_TRY_ASSIGN(const auto table, tail_at(file, layout, *need, "version needs"));
    GPUWAY_TRY(out.read_version_needs(table, std::min(layout.value(elf::kVerneednum).value_or(0), kMaxVersions)));
  }
  if (const auto definitions = layout.value(elf::kVerdef)) {
    GPUWAY_TRY_ASSIGN(const auto table, tail_at(file, layout, *definitions, "version definitions"));
    GPUWAY_TRY(out.read_version_definitions(table, std::min(layout.value(elf::kVerdefnum).value_or(0), kMaxVersions)));
  }
  return out;
}

std::vector<ElfSymbols::Reference> ElfSymbols::references() const {
  std::vector<Reference> found;
  for (std::uint64_t i = 1; i < reference_count_; ++i) {
    const auto symbol = *symbols_.number<Symbol>(i * kSymbol);
    if (symbol.section != 0 || symbol.info >> 4 != 1) continue;   // defined here, or not a strong global
    Reference reference;
    reference.name = name_at(symbol.name);
    if (reference.name.empty()) continue;
    if (const auto version = versions_.number<std::uint16_t>(i * 2)) {
      const auto index = static_cast<std::size_t>(*version & 0x7fff);
      if (index > 1 && index < version_names_.size()) {
        reference.version = version_names_[index].name;
        reference.file = version_names_[index].file;
      }
    }
    reference.gnu_hash = gnu_hash_of(reference.name);
    found.push_back(reference);
  }
  return found;
}

bool ElfSymbols::has_name(std::uint32_t offset, std::string_view name) const {
  if (offset >= strings_.size() || strings_.size() - offset <= name.size()) return false;
  const auto* at = strings_.data() + offset;
  return std::memcmp(at, name.data(), name.size()) == 0 && at[name.size()] == std::byte{0};
}

bool ElfSymbols::matches(std::uint64_t index, const Reference& reference) const {
  const auto symbol = symbols_.number<Symbol>(index * kSymbol);
  if (!symbol || !is_definition(*symbol) || !has_name(symbol->name, reference.name)) return false;
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
  return version_names_[at].name == reference.version;
}

bool ElfSymbols::defines(const Reference& reference) const {
  if (buckets_ == 0) return false;
  return gnu_ ? gnu_defines(reference) : sysv_defines(reference);
}

bool ElfSymbols::sysv_defines(const Reference& reference) const {
  const auto hash = sysv_hash_of(reference.name);
  auto index = hash_.number<std::uint32_t>(8 + std::uint64_t{hash % buckets_} * 4);
  for (std::uint64_t steps = 0; index && *index != 0 && *index < symbol_count_ && steps < kMaxChain; ++steps) {
    if (matches(*index, reference)) return true;
    index = hash_.number<std::uint32_t>(8 + (std::uint64_t{buckets_} + *index) * 4);
  }
  return false;
}

bool ElfSymbols::gnu_defines(const Reference& reference) const {
  const auto hash = reference.gnu_hash;
  if (bloom_words_ > 0) {
    const auto word = hash_.number<std::uint64_t>(16 + std::uint64_t{hash / 64 % bloom_words_} * 8);
    const auto mask = std::uint64_t{1} << hash % 64 | std::uint64_t{1} << (std::uint64_t{hash} >> bloom_shift_) % 64;
    if (!word || (*word & mask) != mask) return false;
  }
  const auto bucket_at = 16 + std::uint64_t{bloom_words_} * 8, chain_at = bucket_at + std::uint64_t{buckets_} * 4;
  const auto start = hash_.number<std::uint32_t>(bucket_at + std::uint64_t{hash % buckets_} * 4);
  if (!start || *start < first_) return false;
  const auto end = std::min(symbol_count_, *start + kMaxChain);
  for (std::uint64_t index = *start; index < end; ++index) {
    const auto value = hash_.number<std::uint32_t>(chain_at + (index - first_) * 4);
    if (!value) return false;
    if ((*value | 1) == (hash | 1) && matches(index, reference)) return true;
    if ((*value & 1) != 0) return false;
  }
  return false;
}

Result<std::shared_ptr<const ElfSymbols>> SymbolStore::symbols_of(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = parsed_.find(path); found != parsed_.end()) return found->second;
  const auto parse = [&]() -> Result<std::shared_ptr<const ElfSymbols>> {
    GPUWAY_TRY_ASSIGN(const auto view, open_(path));
    GPUWAY_TRY_ASSIGN(auto symbols, ElfSymbols::read(view));
    return std::make_shared<const ElfSymbols>(std::move(symbols));
  };
  return parsed_.emplace(path, parse()).first->second;
}

SymbolCheck run_symbol_check(const SymbolCheck& question, SymbolStore& store) {
  SymbolCheck answer = question;
  answer.missing.clear();
  answer.missing_count = 0;
  answer.outcome = SymbolCheck::Outcome::unreadable;
  const auto object = store.symbols_of(question.object);
  if (!object) {
    answer.detail = question.object + ": " + object.error().text();
    return answer;
  }
  std::vector<std::shared_ptr<const ElfSymbols>> scope;
  scope.reserve(question.scope.size());
  for (const auto& path : question.scope) {
    auto symbols = store.symbols_of(path);
    if (!symbols) {
      answer.detail = path + ": " + symbols.error().text();
      return answer;
    }
    scope.push_back(symbols.take());
  }
  answer.outcome = SymbolCheck::Outcome::looked;
  for (const auto& reference : (*object)->references()) {
    const auto found = std::find_if(scope.begin(), scope.end(), [&](const auto& symbols) { return symbols->defines(reference); });
    if (found != scope.end()) {
      // Whether somebody defines it does not depend on the order, so who answers much moves to the front.
      if (found != scope.begin()) std::iter_swap(found, found - 1);
      continue;
    }
    ++answer.missing_count;
    if (answer.missing.size() < kMaxMissing) {
      answer.missing.push_back({std::string(reference.name), std::string(reference.version), std::string(reference.file)});
    }
  }
  return answer;
}

}  // namespace gpuway
