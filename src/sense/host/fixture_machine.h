#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sense/host/host.h"

namespace gpuway {

/// One entry of a fixture's tree.
struct FixtureNode {
  FileKind kind = FileKind::regular;
  std::string content;                // of a file; the target of a link
  std::optional<std::uint64_t> size;  // what stat says, when it is not the content's size
  std::uint32_t mode = 0644, owner = 0, group = 0;
  std::optional<ErrorCode> fault;  // reading or listing it gives this error
  bool opens = true;               // can_open()'s answer for a node
};

/// What a recorded program run answered: an output, or the way it failed.
struct FixtureProgram {
  ProgramOutput output;
  std::optional<ErrorCode> fault;
};

/// A machine made for a test: a tree of files and recorded answers. Written as JSON in layers, each laid over the ones
/// before it; `docs/machines.md` describes the fields.
class FixtureMachine {
 public:
  FixtureMachine();

  /// Lays one JSON document over the machine. Every `{name}` in its texts becomes the place of that name. Fails with
  /// `malformed` naming the field.
  Status add_layer(std::string_view json, const std::map<std::string, std::string>& places);
  /// Puts an entry at a path, with the folders above it.
  void put(const std::string& path, FixtureNode node);
  /// Takes a path and everything below it away; false when it was not there.
  bool remove(const std::string& path);

  std::map<std::string, FixtureNode> nodes;  // by path, folders included
  std::map<std::string, std::string> environment;
  std::string current_folder = "/root";
  std::string program_folder;                      // where gpuway lies
  std::map<std::string, FixtureProgram> programs;  // by the first words of a command line: the program, or with arguments
  std::map<std::string, DriverReport> drivers;     // by the libcuda's path
  std::vector<std::string> cached_libraries;       // what /etc/ld.so.cache names, in order
  std::string glibc = "2.36";
  std::uint16_t elf_machine = 62;
  std::string today = "2026-12-01";
  bool windows = false;                            // names in any case, drives, a registry
  std::optional<std::vector<GraphicsAdapter>> graphics_adapters;   // what DXGI lists; unset: not looked
  std::optional<ProcessorFeatures> processor;      // what CPUID says; unset: not looked
  std::map<std::string, RegistryKey> registry;     // by "HKLM/SOFTWARE/…", of the 32-bit view "32:HKLM/…", lower case
};

}  // namespace gpuway
