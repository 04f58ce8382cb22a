#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
#include "think/model/driver_report.h"
#include "think/model/graphics.h"
#include "think/model/processor.h"

namespace gpuway {

enum class FileKind : std::uint8_t { regular, folder, link, character_device, block_device, fifo, socket, other };

struct FileStat {
  FileKind kind = FileKind::other;
  std::uint64_t size = 0;          // bytes
  std::uint32_t mode = 0;          // permission bits
  std::uint32_t owner = 0, group = 0;
  std::int64_t modified_ns = 0;    // since the epoch
  std::string id;                  // "device:inode"
};

struct FolderEntry {
  std::string name;
  FileKind kind = FileKind::other; // of the entry itself, links not followed; `other` when the system did not say
};

struct FolderListing {
  std::vector<FolderEntry> entries;  // sorted by name
  bool complete = true;              // false: `limit` was reached, the rest was dropped
};

struct ProgramRequest {
  std::vector<std::string> arguments;   // [0] is the program: a path, or a name to be found on PATH
  std::chrono::milliseconds time_limit{5000};
  std::uint64_t output_limit = 1 << 20;   // bytes of stdout kept; more ends the program
};

struct ProgramOutput {
  int exit_code = 0;     // 128 + signal when it was killed by one
  std::string out;
  bool cut = false;      // output_limit was reached
};

enum class RegistryView : std::uint8_t { bits64, bits32 };

/// A value of the Windows registry. Texts are UTF-8, as they stand there: variables of REG_EXPAND_SZ are not expanded.
struct RegistryValue {
  enum class Kind : std::uint8_t { text, number, list, bytes };
  Kind kind = Kind::text;
  std::string text;                 // of text; the bytes of bytes
  std::uint64_t number = 0;         // of REG_DWORD and REG_QWORD
  std::vector<std::string> list;    // of REG_MULTI_SZ
};

/// One key of the Windows registry.
struct RegistryKey {
  std::map<std::string, RegistryValue> values;   // by name as written; "" is the key's default value
  std::vector<std::string> subkeys;              // names, in the registry's order
};

struct DriverRequest {
  std::string libcuda;    // path or SONAME to open
  std::string libnvml;    // path, or empty to leave NVML out
  std::chrono::milliseconds time_limit{10000};
};

/// The only door to a machine. Nothing here writes. Paths are absolute and have forward slashes (see base/path.h); names of
/// environment variables of a Windows machine are in upper case.
/// Errors: not_found (also for a dangling link or a missing parent), access_denied, too_large, timed_out, io_error,
/// unsupported (not a regular file), not_looked (this host cannot ask that). Reading may come from several threads at
/// once; running programs and asking drivers comes from one.
class Host {
 public:
  virtual ~Host() = default;
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// The whole regular file when it has at most `limit` bytes; too_large otherwise. Works for /proc and /sys, whose size is 0.
  virtual Result<std::string> read_file(const std::string& path, std::uint64_t limit) const = 0;
  /// A regular file for random access. Never blocks on a FIFO, never opens a device.
  virtual Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) const = 0;
  /// At most `limit` entries.
  virtual Result<FolderListing> list_folder(const std::string& path, std::size_t limit) const = 0;
  /// Like list_folder, but keeps only names for which `wanted` is true, so that a folder of a million files stays cheap.
  virtual Result<FolderListing> list_matching(const std::string& path, std::size_t limit,
                                              bool (*wanted)(std::string_view name)) const = 0;
  virtual Result<FileStat> stat(const std::string& path, bool follow_links) const = 0;
  virtual Result<std::string> read_link(const std::string& path) const = 0;
  /// The path with every link resolved (at most 40).
  virtual Result<std::string> real_path(const std::string& path) const = 0;
  /// Whether this process may open the node for reading and writing. Opens it without blocking and closes it again.
  virtual Result<bool> can_open(const std::string& path) const = 0;

  virtual const std::map<std::string, std::string>& environment() const = 0;
  /// Empty when it no longer exists.
  virtual std::string current_folder() const = 0;
  /// A registry key such as "HKLM/SOFTWARE/Python" (HKLM, HKCU, HKCR or HKU), names in any case. not_looked on hosts without a registry.
  virtual Result<RegistryKey> read_registry(const std::string& key, RegistryView view) const;
  /// What Windows' graphics interface lists, asked in a child process of our own. not_found without DXGI, crashed or
  /// timed_out when a graphics driver misbehaves, not_looked on hosts that are no Windows or cannot be asked.
  virtual Result<std::vector<GraphicsAdapter>> graphics_adapters() const;
  /// What the processor offers, where no file says it. not_looked on hosts that are no Windows or cannot be asked.
  virtual Result<ProcessorFeatures> processor() const;
  virtual Result<ProgramOutput> run_program(const ProgramRequest& request) const = 0;
  /// The folder that this program lies in, where programs that come with it lie too. Empty when it could not be told.
  virtual std::string program_folder() const { return {}; }
  /// Opens a driver library in a child process of our own and asks it; a crash or hang is an outcome, not an error.
  virtual DriverReport ask_driver(const DriverRequest& request) const = 0;

  /// True for the machine this program runs on: variables, processes and the driver can be asked.
  virtual bool is_live() const = 0;
  /// A Windows machine: registry, drives, names in any case.
  virtual bool is_windows() const { return false; }
  /// The folder taken as the machine, or empty.
  virtual std::string root() const { return {}; }
  /// Milliseconds since some fixed moment, for probe durations.
  virtual std::int64_t clock_ms() const = 0;
  /// Today as YYYY-MM-DD (UTC).
  virtual std::string today() const = 0;
};

}  // namespace gpuway
