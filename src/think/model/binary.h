#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace gpuway {

/// One version that an object wants from a library (DT_VERNEED).
struct VersionNeed {
  std::string file;     // SONAME the version is wanted from
  std::string version;  // e.g. GLIBC_2.34
  bool weak = false;    // a missing weak version is no error
  bool operator==(const VersionNeed&) const = default;
};

enum class ElfClass : std::uint8_t { other = 0, elf32 = 1, elf64 = 2 };

/// What the loader replay needs to know of an ELF file. Strings are as they stand in the file ($ORIGIN not expanded),
/// but for run paths, where an entry that stands earlier already is left out, as the loader does.
struct ElfSummary {
  ElfClass elf_class = ElfClass::other;
  bool little_endian = true;
  std::uint16_t machine = 0;  // EM_*: 62 x86-64, 183 AArch64, 3 i386
  std::uint16_t type = 0;     // ET_*: 2 EXEC, 3 DYN
  std::uint8_t os_abi = 0;
  std::uint8_t abi_version = 0;
  std::optional<std::string> soname;
  std::vector<std::string> needed;        // in order
  std::optional<std::string> rpath;       // DT_RPATH, colon separated
  std::optional<std::string> runpath;     // DT_RUNPATH, colon separated
  std::uint64_t flags = 0;                // DT_FLAGS
  std::uint64_t flags_1 = 0;              // DT_FLAGS_1
  std::optional<std::string> interpreter; // PT_INTERP
  std::vector<VersionNeed> version_needs;
  std::vector<std::string> version_definitions;  // DT_VERDEF names, without the base definition
  bool has_versions = false;              // any DT_VERDEF at all
  bool executable_stack = false;          // PT_GNU_STACK asks for an executable stack
  std::uint64_t load_end = 0;             // greatest p_offset + p_filesz of the PT_LOADs: a shorter file is cut off
  bool operator==(const ElfSummary&) const = default;
};

/// What the loader replay needs to know of a PE image. Names are as they stand in the file.
struct PeSummary {
  std::uint16_t machine = 0;             // IMAGE_FILE_MACHINE_*: 0x8664 x64, 0x14c x86, 0xaa64 Arm64
  bool is_64 = false;                    // PE32+
  std::uint16_t characteristics = 0;     // IMAGE_FILE_*: 0x2000 DLL
  std::uint16_t dll_characteristics = 0; // IMAGE_DLLCHARACTERISTICS_*
  std::vector<std::string> imports;          // DLL names, in order; loaded with the image
  std::vector<std::string> delayed_imports;  // DLL names, in order; loaded at the first call
  std::string export_name;               // the name that the export directory gives; empty without exports
  std::uint32_t export_count = 0;        // exported names
  std::string file_version;              // of the version resource ("6.14.11.1120"), or empty
  std::string product_version, product_name, company;   // of the version resource's texts, or empty
  std::uint16_t dependent_load_flags = 0;   // LOAD_LIBRARY_SEARCH_* for its own imports; 0: its loader's
  std::vector<std::string> assemblies;   // side-by-side assemblies its manifest depends on
  std::vector<std::string> sections;     // names, in order
  bool long_path_aware = false;          // by its manifest
  std::uint64_t load_end = 0;            // greatest end of a section's bytes
  bool operator==(const PeSummary&) const = default;
  /// A file of so many bytes lacks some that the image maps. Windows maps by sectors of 512 bytes, so that the padding of
  /// the last one, which some linkers leave out, is not missed.
  bool is_cut_off(std::uint64_t file_size) const;
};

/// The answer to "which imports that `importer` wants from `library` does `exporter` not give".
struct ImportCheck {
  std::string importer;   // path
  std::string library;    // the DLL's name as the import table has it
  std::string exporter;   // path of the file that stands for it
  enum class Outcome : std::uint8_t { looked, unreadable };
  Outcome outcome = Outcome::unreadable;
  std::string detail;
  std::vector<std::string> missing;      // names, "#12" for ordinals, in table order, at most 16
  std::uint64_t missing_count = 0;
  std::vector<std::string> forwarded_to;  // DLLs (with ".dll") that wanted exports lead on to, each once
  /// The key under which the Snapshot keeps it.
  std::string key() const { return importer + "\n" + library + "\n" + exporter; }
};

/// What opening one path as a library gives. The path is as the loader would write it; links are followed.
struct BinaryView {
  enum class Outcome : std::uint8_t {
    elf,          // `elf` is set; it may still be of another class or machine, or cut off (file_size < elf.load_end)
    pe,           // `pe` is set, on a Windows machine; the same holds for it
    missing,      // nothing there, or a dangling link
    denied,       // it may not be opened
    not_regular,  // a folder, FIFO or device
    too_short,    // fewer bytes than a header
    other_format, // enough bytes, but not the magic of this system's libraries (a linker script, a Git-LFS pointer)
    malformed,    // the magic, but its tables break the format; `detail` says how, `elf` or `pe` at most what the header says
    unreadable,   // `reason` and `detail` say why nothing is known: not an answer
    link_loop,    // a link that leads back to itself
  };
  Outcome outcome = Outcome::unreadable;
  ErrorCode reason = ErrorCode::not_looked;
  std::string detail;           // of too_short and other_format: what the file is (formats/file_format.h)
  std::string real_path;        // after all links; empty when nothing is there
  std::string file_id;          // "device:inode" or another stable identity; equal ids are the same file
  std::uint64_t file_size = 0;  // bytes
  std::optional<ElfSummary> elf;
  std::optional<PeSummary> pe;
};

/// A folder as the loader needs it: every entry whose name could be a library or a hardware sub-folder.
struct FolderView {
  enum class Outcome : std::uint8_t { listed, missing, denied, not_folder, unreadable };
  Outcome outcome = Outcome::unreadable;
  ErrorCode reason = ErrorCode::not_looked;
  std::string detail;
  std::vector<std::string> names;  // sorted, names only; kept are names with ".so" in them and the loader's sub-folders; on Windows .dll, .pyd, .exe and what redirects them
  bool holds(std::string_view name) const;
};

/// GPU code found in one file, per architecture.
struct GpuCodeSummary {
  struct Row {
    enum class Kind : std::uint8_t { machine_code, ptx, lto, other };
    Kind kind = Kind::other;
    std::uint32_t arch = 0;  // 75 = compute capability 7.5
    char variant = 0;        // 'a', 'f' or 0
    std::uint32_t ptx_major = 0, ptx_minor = 0;  // highest PTX ISA seen in this row; only for ptx
    std::uint64_t count = 0;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;           // sorted by kind, arch, variant
  std::uint64_t containers = 0;
  std::uint64_t damaged = 0;       // magic found, but the container's own numbers do not fit
  std::uint64_t old_style = 0;     // containers of before CUDA 4, not read
  bool truncated = false;          // a limit of ours was reached; counts are lower bounds
  bool operator==(const GpuCodeSummary&) const = default;
};

/// The answer to "which symbols of `object` does nobody in `scope` define": the loader binds at once (RTLD_NOW), so one
/// strong undefined symbol is enough to refuse the object.
struct SymbolCheck {
  std::string object;               // path
  std::vector<std::string> scope;   // paths in lookup order
  enum class Outcome : std::uint8_t { looked, unreadable };
  Outcome outcome = Outcome::unreadable;
  std::string detail;
  struct Missing {
    std::string symbol, version, file;  // version and file may be empty
    bool operator==(const Missing&) const = default;
  };
  std::vector<Missing> missing;     // in symbol table order, at most 16
  std::uint64_t missing_count = 0;
  /// The key under which the Snapshot keeps it.
  std::string key() const { return symbol_check_key(object, scope); }
  static std::string symbol_check_key(const std::string& object, const std::vector<std::string>& scope);
};

/// One line of ld.so.cache that fits the machine's own libraries.
struct LoaderCacheEntry {
  std::string soname, path;
  std::string hwcap;  // "x86-64-v3", before glibc 2.37 also "haswell/x86_64" and the like; empty for any processor
  bool operator==(const LoaderCacheEntry&) const = default;
};

/// ld.so.cache as the loader of this machine reads it (other architectures' entries left out), in file order.
struct LoaderCache {
  std::vector<LoaderCacheEntry> entries;
  std::string generator;  // ldconfig's own text when the cache has it
};

}  // namespace gpuway
