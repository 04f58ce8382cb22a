#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "think/model/binary.h"

namespace gpuway {

/// The dynamic symbols of one ELF file, looked up in place through its hash table. Needs a view of the whole file.
class ElfSymbols {
 public:
  /// Fails with `malformed` or, where the source cannot give a view, `unsupported`. A file without symbols is no error.
  static Result<ElfSymbols> read(ByteView file);

  struct Reference {
    std::string_view name;
    std::string_view version, file;   // empty for a reference without version
    std::uint32_t gnu_hash = 0;
  };
  /// Strong references to symbols that the file itself leaves undefined, in table order.
  const std::vector<Reference>& references() const { return references_; }

  /// Whether this file's definition would satisfy the reference, by glibc's rules (elf/dl-lookup.c, do_lookup_x and
  /// check_match): a file without versions satisfies any version; a versioned reference wants that version; a reference
  /// without a version takes a definition that is not hidden.
  bool defines(const Reference& reference) const;

 private:
  struct Version {
    std::string_view name, file;
    bool defined = false;
  };
  bool matches(std::uint32_t index, const Reference& reference) const;
  std::string_view name_at(std::uint32_t offset) const;

  ByteView symbols_, strings_, versions_, hash_;
  bool gnu_ = false;
  std::uint64_t symbol_count_ = 0;
  std::vector<Version> version_names_;   // by version index
  std::vector<Reference> references_;
  // GNU hash header
  std::uint32_t buckets_ = 0, first_ = 0, bloom_words_ = 0, bloom_shift_ = 0;
};

/// Symbols of files already parsed in this run, by path.
using SymbolsByPath = std::map<std::string, std::shared_ptr<const ElfSymbols>>;

/// Gives the view of a file, or an error.
using ViewOpener = std::function<Result<ByteView>(const std::string& path)>;

/// Answers a SymbolCheck question: which strong references of `object` nobody in `scope` satisfies. Files parsed on the
/// way stay in `parsed`; their views must stay valid as long.
SymbolCheck run_symbol_check(const SymbolCheck& question, const ViewOpener& open, SymbolsByPath& parsed);

}  // namespace gpuway
