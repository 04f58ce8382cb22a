#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "think/model/fact.h"

namespace gpuway {

struct Snapshot;

/// A setting that WSL knows: a row of data/tables/wsl_keys.toml.
struct WslKey {
  std::string_view file;    // wslconfig | wsl.conf
  std::string_view name;    // "wsl2.memory"
  std::string_view type;    // bool int size string path enum list ip mac octal
  std::string_view values;  // of an enum, with blanks between them
  std::string_view alias;   // another name that is still read, or empty
};

/// One line of .wslconfig or /etc/wsl.conf that counts.
struct WslSetting {
  std::string key, value;  // key as WSL spells it: "wsl2.memory"; value without quotes and escapes
  std::int64_t line = 0;
  bool operator==(const WslSetting&) const = default;
};

/// A line that WSL does not take as it is meant.
struct WslConfigProblem {
  // encoding dos-line-ends bad-section unknown-section no-section no-setting unknown-key wrong-section duplicate
  // bad-value bad-escape
  std::string kind;
  std::string key;     // as written, with its section; empty for a line that has none
  std::string detail;  // the value; the section that the key belongs to; the known key that differs least
  std::int64_t line = 0;
  bool operator==(const WslConfigProblem&) const = default;
};

/// A settings file of WSL.
struct WslConfig {
  std::string path;
  std::string encoding;  // utf-8 utf-8-bom utf-16 other
  std::vector<WslSetting> settings;
  std::vector<WslConfigProblem> problems;
  /// The value of a setting ("wsl2.memory"), or nullptr.
  const WslSetting* find(std::string_view key) const;
  /// Whether a switch is on; `otherwise` when it is not set.
  bool flag(std::string_view key, bool otherwise) const;
};

/// One distribution that is registered for this user of Windows.
struct WslDistribution {
  std::string name, guid;
  int version = 0;  // 1 or 2; 0 when the registry does not say
  // running stopped installing uninstalling converting exporting, another word of wsl.exe, or undetermined
  std::string state = "undetermined";
  bool is_default = false;
  std::string folder;            // BasePath
  std::string disk;              // the virtual disk in it; empty for WSL 1
  Fact<bool> disk_exists;        // of WSL 1: the folder
  std::string package;           // PackageFamilyName, or empty
  std::string flavour, release;  // Flavor and OsVersion: what it says of itself; empty in older ones
  std::int64_t user = 0;         // DefaultUid
  Fact<std::string> looked;      // how its inside was looked at (program | file-share), or why it was not
  std::vector<Snapshot> inside;  // one Snapshot when it was looked at, none otherwise
  /// One that a container program keeps for itself: no place for a person's Python.
  bool is_a_programs_own() const;
  /// Registered names are letters, digits, '.', '-' and '_' (LxssUserSession.cpp of github.com/microsoft/WSL); another
  /// one is not put into a command.
  bool has_plain_name() const;
};

/// What a Windows machine says of its WSL.
struct WslFacts {
  // none: no such program; stub: Windows' own, which only offers to install; inbox: the feature of Windows; packaged:
  // from the Store or the installer; undetermined
  std::string program = "undetermined";
  std::string path;           // of wsl.exe
  Fact<std::string> version;  // of the packaged program
  Fact<std::string> kernel;   // that comes with it
  Fact<std::string> answer;   // what wsl.exe said of itself: ok, or a fault in its own words ("not-installed", "Wsl/…")
  bool asks_for_virtualization = false;  // Windows' service for virtual machines (vmcompute) is not there: WSL 2 cannot start
  bool asks_for_kernel = false;          // its status names aka.ms/wsl2kernel
  Fact<std::string> default_distribution;
  int default_version = 2;                 // of new distributions
  Fact<bool> allowed;                      // by policy; absent: nothing forbids it
  Fact<WslConfig> config;                  // of this user
  std::vector<std::string> other_configs;  // files with a name that is not read: .wslconfig.txt, wslconfig
  Fact<bool> windows_libraries;            // System32/lxss/lib holds the NVIDIA driver's libcuda for WSL
  std::vector<WslDistribution> distributions;
};

/// What a distribution can see of the Windows around it.
struct WindowsAround {
  std::string drive;                               // where drive C: is mounted; empty: nowhere
  std::string profile;                             // the user's folder, below it; empty when it could not be told
  Fact<WslConfig> config;                          // the user's .wslconfig
  Fact<WslConfig> distribution_config;             // /etc/wsl.conf
  Fact<std::vector<std::string>> driver_versions;  // of NVIDIA's driver packages, as Windows counts them, newest first
};

}  // namespace gpuway
