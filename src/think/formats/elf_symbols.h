#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
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
  /// Strong references to symbols that the file itself leaves undefined, in table order. Reads the table anew each time.
  std::vector<Reference> references() const;

  /// Whether this file's definition would satisfy the reference, by glibc's rules (elf/dl-lookup.c, do_lookup_x and
  /// check_match): a file without versions satisfies any version; a versioned reference wants that version; a reference
  /// without a version takes a definition that is not hidden.
  bool defines(const Reference& reference) const;

 private:
  struct Version {
    std::string_view name, file;
    bool defined = false;
  };
  Status read_gnu_hash(bool is_program);
  Status read_sysv_hash();
  Status read_version_needs(ByteView table, std::uint64_t files);
  Status read_version_definitions(ByteView table, std::uint64_t count);
  void remember(std::uint16_t index, Version version);
  bool has_name(std::uint32_t offset, std::string_view name) const;
  bool matches(std::uint64_t index, const Reference& reference) const;
  bool gnu_defines(const Reference& reference) const;
  bool sysv_defines(const Reference& reference) const;
  std::string_view name_at(std::uint32_t offset) const;

  ByteView symbols_, strings_, versions_, hash_;
  bool gnu_ = false;
  std::uint64_t symbol_count_ = 0;        // with a GNU hash table an upper bound: how many fit into the file
  std::uint64_t reference_count_ = 0;     // symbols before this index may be references, later ones are defined
  std::vector<Version> version_names_;    // by version index
  // GNU hash header
  std::uint32_t buckets_ = 0, first_ = 0, bloom_words_ = 0, bloom_shift_ = 0;
};

/// Gives the view of a file, which must stay valid as long as the store, or an error. Called by one thread at a time.
using ViewOpener = std::function<Result<ByteView>(const std::string& path)>;

/// Parses the symbols of each file once. May be asked by several threads.
class SymbolStore {
 public:
  explicit SymbolStore(ViewOpener open) : open_(std::move(open)) {}
  /// Never null inside a known Result; the error of the first look stays.
  Result<std::shared_ptr<const ElfSymbols>> symbols_of(const std::string& path);

 private:
  ViewOpener open_;
  std::mutex mutex_;
  std::map<std::string, Result<std::shared_ptr<const ElfSymbols>>> parsed_;
};

/// Answers a SymbolCheck question: which strong references of `object` nobody in `scope` satisfies.
SymbolCheck run_symbol_check(const SymbolCheck& question, SymbolStore& store);

}  // namespace gpuway
