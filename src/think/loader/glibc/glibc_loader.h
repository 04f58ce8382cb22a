#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// How the process that is replayed was started.
struct ProcessSetup {
  std::string executable;            // path of the program, links resolved
  std::string current_folder;
  std::string library_path;          // LD_LIBRARY_PATH at start, empty when unset
  std::string preload;               // LD_PRELOAD at start
};

/// One object in the replayed process.
struct LoadedObject {
  std::string name;        // the name it was asked for by first
  std::string path;        // the path the loader opened ($ORIGIN is its folder)
  std::string file_id;
  int loader = -1;         // index of the object that caused the load; -1 for the program itself
  std::string rule;        // how it was found: program | path | rpath | ld-library-path | runpath | cache | system | loaded | preload
  bool global = false;     // in the global scope
};

/// Why a request failed. `library` and `path` name the deepest culprit, not the name that was asked for at the top.
struct LoadFailure {
  enum class Kind : std::uint8_t {
    not_found,        // no file of that name in any place searched
    too_short,        // a file of fewer bytes than an ELF header ended the search
    not_elf,          // "invalid ELF header"
    malformed,        // ELF magic, but glibc refuses or would misread its tables
    wrong_class,      // only candidates of another word size or machine
    wrong_machine,
    denied,           // only candidates that may not be opened
    version_missing,  // `symbol` is the version node, `version_file` the library that lacks it
    symbol_missing,   // `symbol` (and `version`): nobody in scope defines it
    executable_stack, // the object asks for an executable stack and this glibc refuses (2.41 and newer)
  };
  Kind kind = Kind::not_found;
  std::string library;               // name as it was asked for
  std::string path;                  // the file at fault, empty for not_found
  std::string asked_by;              // path of the object that asked
  bool needed = false;               // asked through DT_NEEDED; false: the request itself
  std::string symbol, version, version_file;
  std::vector<std::string> chain;    // names from the request down to the culprit
  std::vector<SearchedPlace> searched;
};

struct LoadRequest {
  std::string name;         // bare name or path
  int caller = 0;           // index of the object that calls dlopen; its RPATH/RUNPATH and $ORIGIN count
  bool global = false;      // RTLD_GLOBAL
  bool check_symbols = true;
};

struct LoadOutcome {
  enum class State : std::uint8_t {
    loaded,
    failed,         // dlopen returns an error; `failure` is set
    process_dies,   // a mapped file is cut off: the process ends by a bus error; `failure` names the file
    undetermined,   // something must be fetched first (see Wants) or could not be looked at; `reason` says which
  };
  State state = State::undetermined;
  int object = -1;                        // index of the loaded object
  std::optional<LoadFailure> failure;
  std::string reason;
  std::vector<SearchedPlace> searched;    // places of the request itself
};

/// Replays glibc's ld.so over a Snapshot, as one process with one list of loaded objects.
///
/// Rules: glibc elf/dl-load.c, dl-deps.c, dl-lookup.c, dl-version.c (see docs/loader.md). Everything it wants to know and
/// the Snapshot does not hold goes into `wants`; the outcome is then undetermined, and the caller may go on with further
/// requests so that one round collects as much as possible. A failed request leaves no object behind, as in glibc.
class GlibcLoader {
 public:
  GlibcLoader(const Snapshot& snapshot, ProcessSetup setup, Wants& wants);

  /// Maps the program, LD_PRELOAD and their needs. Must come first.
  LoadOutcome start();
  /// One dlopen with RTLD_NOW.
  LoadOutcome open(const LoadRequest& request);

  const std::vector<LoadedObject>& objects() const { return objects_; }
  /// Index of a loaded object by SONAME, file name or path; -1 when there is none.
  int find_loaded(std::string_view name) const;
  /// Index 0 is the program.
  static constexpr int kProgram = 0;

 private:
  /// What the replay keeps of an object besides what it shows.
  struct Inner {
    const BinaryView* binary = nullptr;
    std::vector<std::string> names;      // every name that finds it without a file access
    std::vector<int> needed;             // DT_NEEDED, in order
    int rpath_parent = -1;               // whose DT_RPATH counts for its needs too; -1 for what dlopen opened
    std::optional<std::vector<std::string>> rpath, runpath;   // expanded; built at first use
  };
  enum class Search : std::uint8_t { found, not_found, stopped, pending };
  struct Place {
    Search result = Search::not_found;
    std::string path, rule;
    int object = -1;                     // an object that is loaded already
    LoadFailure::Kind fault = LoadFailure::Kind::not_found;
    bool ends_list = false;              // the other folders of the same list are not tried any more
  };
  struct Trace;

  const BinaryView* binary(const std::string& path);
  const FolderView* folder(const std::string& path);
  const std::vector<std::string>& run_path(int object, bool runpath);
  std::string expand(std::string_view entry, const std::string& origin) const;
  std::vector<std::string> expand_all(std::string_view list, std::string_view separators, const std::string& origin) const;

  Place find(const std::string& name, int loader, Trace* trace);
  Place try_file(const std::string& path, std::string_view rule, Trace* trace);
  Place try_folder(const std::string& folder, const std::string& name, std::string_view rule, Trace* trace);
  Place try_folders(const std::vector<std::string>& folders, const std::string& name, std::string_view rule, Trace* trace);
  Place try_cache(const std::string& name, bool no_default, Trace* trace);

  int add_object(const std::string& name, const Place& place, int loader);
  /// A name to be found and mapped. `needed`: by DT_NEEDED of `loader`, not by dlopen.
  struct Request {
    std::string name;
    int loader;
    bool needed;
  };
  void push_needs(int object, std::deque<Request>& queue) const;
  /// Maps what is asked for and its needs breadth first; on failure what was added is to be dropped.
  LoadOutcome map_all(std::deque<Request> queue, std::vector<int>& roots);
  /// Why the loader refuses the object after it is mapped, if it does.
  std::optional<LoadOutcome> refused(int object, const Request& request) const;
  LoadOutcome check_versions(int first_new);
  LoadOutcome check_symbols(int root, int first_new);
  std::vector<int> search_list(int root) const;
  /// The new objects in the order in which the loader binds their symbols.
  std::vector<int> relocation_order(int root, int first_new) const;
  void drop_from(int first_new);
  LoadOutcome failed(LoadFailure failure, bool dies) const;
  std::vector<std::string> chain_to(int object, const std::string& last) const;

  const Snapshot& snapshot_;
  ProcessSetup setup_;
  Wants& wants_;
  std::vector<LoadedObject> objects_;
  std::vector<Inner> inner_;
  std::vector<int> global_scope_;
  std::vector<std::string> library_path_, system_folders_, hwcaps_, legacy_;
  std::vector<std::string> subfolders_;  // tried in each folder before the folder itself
  std::string lib_token_, platform_;     // what $LIB and $PLATFORM stand for
  std::uint16_t machine_ = 0;
  ElfClass elf_class_ = ElfClass::elf64;
  bool usable_ = false;                 // the program is an ELF file of a machine whose rules are known
  std::string unusable_reason_;
};

/// Folders below glibc-hwcaps/ that a CPU with these flags (as in /proc/cpuinfo) uses, best first.
std::vector<std::string> hwcaps_of(const std::vector<std::string>& cpu_flags);

/// What the loader of glibc before 2.37 makes of the processor: $PLATFORM, and the sub-folders that it tries in every
/// folder, best first. `has` are the processor's flags, `cpu_name` its name.
struct LegacyPlatform {
  std::string platform = "x86_64";
  std::vector<std::string> subfolders;
};
LegacyPlatform legacy_platform(const std::vector<std::string>& cpu_flags, std::string_view cpu_name);

}  // namespace gpuway
