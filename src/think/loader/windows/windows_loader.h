#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

// Flags of LoadLibraryExW, as Windows numbers them.
inline constexpr std::uint32_t kAlteredSearchPath = 0x8;     // LOAD_WITH_ALTERED_SEARCH_PATH
inline constexpr std::uint32_t kSearchDllLoadDir = 0x100;    // LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
inline constexpr std::uint32_t kSearchApplication = 0x200;   // LOAD_LIBRARY_SEARCH_APPLICATION_DIR
inline constexpr std::uint32_t kSearchUserDirs = 0x400;      // LOAD_LIBRARY_SEARCH_USER_DIRS
inline constexpr std::uint32_t kSearchSystem32 = 0x800;      // LOAD_LIBRARY_SEARCH_SYSTEM32
inline constexpr std::uint32_t kSearchDefaultDirs = 0x1000;  // LOAD_LIBRARY_SEARCH_DEFAULT_DIRS: the three above

inline constexpr std::uint16_t kMachineX86 = 0x14c, kMachineX64 = 0x8664, kMachineArm64 = 0xaa64;

/// The state of the process that is replayed.
struct WindowsProcess {
  std::string executable;                   // its folder is the application folder
  std::uint16_t machine = kMachineX64;
  std::string current_folder;
  std::string path;                         // PATH as the process has it
  std::vector<std::string> dll_directories; // AddDllDirectory, in the order of the calls
  std::optional<std::string> dll_directory; // SetDllDirectory; "" only takes the current folder out
  std::uint32_t default_flags = 0;          // SetDefaultDllDirectories
  bool packaged = false;                    // a packaged program (Microsoft Store)
};

/// Where Wine 8 is known to differ from Windows; only tests, which have Wine for a judge, set any of it. Sources:
/// docs/loader-windows.md.
struct LoaderVariant {
  bool known_dlls = true;              // DLLs of the KnownDLLs key always come from the system folder
  bool checks_imports = true;          // a missing export or forwarder fails the load (127, 182)
  bool empty_dll_directory = true;     // SetDllDirectory("") takes the current folder out
};

/// One module in the replayed process.
struct LoadedModule {
  std::string name;      // base name
  std::string path;
  int loader = -1;       // index of the module whose import table asked; -1: LoadLibrary or the program's start
  std::string rule;      // how it was found: program | full-path | application-folder | dll-folder | dll-directory | system-folder |
                         // windows-folder | current-folder | path-variable | known-dll | api-set
  bool of_system = false;   // part of Windows: its own imports are not followed
};

/// Why a load failed. `library` is the DLL at fault, at any depth.
struct DllFailure {
  enum class Kind : std::uint8_t {
    not_found,        // 126: no file of that name in any folder searched
    wrong_machine,    // 193: a file for another processor or word size
    damaged,          // 193: no PE image, or cut off
    denied,           // 5; a folder that bears the name too
    symbol_missing,   // 127 (a name) or 182 (an ordinal): `symbol`, which `path` does not export
    bad_call,         // 87: flags that exclude each other, or that need a full path
  };
  Kind kind = Kind::not_found;
  std::uint32_t code = 126;          // what GetLastError gives to the caller
  std::string library;               // base name at fault
  std::string path;                  // the file at fault; empty for not_found
  std::string asked_by;              // path of the module whose imports asked; empty for the request itself
  std::string symbol;
  std::vector<std::string> chain;    // names from the request down to the culprit
  std::vector<SearchedPlace> searched;
};

struct DllOutcome {
  enum class State : std::uint8_t { loaded, failed, undetermined };
  State state = State::undetermined;
  int module = -1;
  std::optional<DllFailure> failure;
  std::string reason;                // of undetermined
};

/// Replays Windows' loader over a Snapshot, as one process with one list of loaded modules.
///
/// Rules: Microsoft's documentation of the search order (see docs/loader-windows.md). Everything it wants to know and the
/// Snapshot does not hold goes into `wants`; the outcome is then undetermined, and the caller may go on with further
/// requests. A failed load leaves no module behind. DllMain cannot be replayed: error 1114 is never predicted.
class WindowsLoader {
 public:
  WindowsLoader(const Snapshot& snapshot, WindowsProcess process, Wants& wants, LoaderVariant variant = {});

  /// Maps the program and its imports. Must come first.
  DllOutcome start();
  /// LoadLibraryExW(name, flags).
  DllOutcome load(const std::string& name, std::uint32_t flags);
  /// AddDllDirectory.
  void add_dll_directory(const std::string& folder) { process_.dll_directories.push_back(folder); }

  /// The program puts a folder in front of its PATH.
  void prepend_path(const std::string& folder) { path_.insert(path_.begin(), folder); }

  const std::vector<LoadedModule>& modules() const { return modules_; }
  /// GetModuleHandle: index of a loaded module by base name or full path, in any case; -1 when there is none.
  int find_loaded(std::string_view name) const;
  /// The folders that a load searches, with the rule for each, in order.
  struct Place {
    std::string rule, folder;
  };
  std::vector<Place> places_of(const std::string& name, std::uint32_t flags) const;
  /// Whether a folder of the Snapshot holds this file, in any case; the name as it is written there, or nothing.
  std::optional<std::string> held(const std::string& folder, std::string_view name);

 private:
  struct Request {
    std::string name;
    int importer = -1;
  };
  enum class Step : std::uint8_t { found, failed, pending };

  const FolderView* folder(const std::string& path);
  const BinaryView* binary(const std::string& path);
  Step bind(const Request& request, const std::vector<Place>& places, int depth, int& module, DllOutcome& out);
  Step find(const Request& request, const std::vector<Place>& places, std::string& path, std::string& rule, DllOutcome& out);
  std::optional<std::string> look_for(const Place& place, const std::string& file, std::vector<SearchedPlace>& searched, std::string& unknown);
  Step try_file(const Request& request, const std::string& path, const std::string& rule, std::vector<SearchedPlace>& searched, bool& skip, DllOutcome& out);
  Step map_imports(int module, const std::vector<Place>& places, int depth, DllOutcome& out);
  Step check_imports(int importer, const std::string& library, int exporter, const std::vector<Place>& places, int depth, DllOutcome& out);
  std::string completed(std::string_view name) const;
  std::string redirected(std::string path) const;
  int find_module(std::string_view name) const;
  int find_same_file(const std::string& path) const;
  int add_module(const std::string& name, const std::string& path, int loader, const std::string& rule, bool of_system);
  void fail(DllOutcome& out, DllFailure failure, const Request& request) const;
  std::vector<std::string> chain_to(int importer, const std::string& last) const;
  bool is_known(std::string_view name) const;
  bool fits(const PeSummary& pe) const;
  bool runs_on_this_windows(std::uint16_t machine) const;

  const Snapshot& snapshot_;
  WindowsProcess process_;
  Wants& wants_;
  LoaderVariant variant_;
  std::vector<LoadedModule> modules_;
  std::map<std::string, std::map<std::string, std::string>> names_;   // per folder: lower case -> as written
  std::string system_folder_, windows_folder_;
  std::string hidden_folder_;   // the folder, lower case and with a slash, in whose place the system folder is seen; or empty
  std::vector<std::string> path_;
};

/// "api-ms-win-*" and "ext-ms-*": names that stand for whatever DLL of Windows has the functions.
bool is_api_set(std::string_view name);

}  // namespace gpuway
