#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sense/host/fixture_machine.h"

namespace gpuway {

/// A Host over a machine made for a test. What its tree does not hold is not found. A program or driver that is asked
/// without a recorded answer is noted in `unexpected()`: the test has to fail then.
class FixtureHost final : public Host {
 public:
  explicit FixtureHost(FixtureMachine machine);

  Result<std::string> read_file(const std::string& path, std::uint64_t limit) const override;
  Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) const override;
  Result<FolderListing> list_folder(const std::string& path, std::size_t limit) const override;
  Result<FolderListing> list_matching(const std::string& path, std::size_t limit,
                                      bool (*wanted)(std::string_view name)) const override;
  Result<FileStat> stat(const std::string& path, bool follow_links) const override;
  Result<std::string> read_link(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<bool> can_open(const std::string& path) const override;
  const std::map<std::string, std::string>& environment() const override { return machine_.environment; }
  std::string current_folder() const override { return machine_.current_folder; }
  Result<ProgramOutput> run_program(const ProgramRequest& request) const override;
  std::string program_folder() const override { return machine_.program_folder; }
  DriverReport ask_driver(const DriverRequest& request) const override;
  bool is_live() const override { return true; }
  bool is_windows() const override { return machine_.windows; }
  Result<RegistryKey> read_registry(const std::string& key, RegistryView view) const override;
  Result<std::vector<GraphicsAdapter>> graphics_adapters() const override;
  Result<ProcessorFeatures> processor() const override;
  std::int64_t clock_ms() const override { return 0; }
  std::string today() const override { return machine_.today; }

  /// Questions that nobody recorded an answer for, in the order in which they came.
  std::vector<std::string> unexpected() const;

 private:
  struct Found {
    std::string path;
    FixtureNode node;
  };
  Result<Found> find(const std::string& path, bool follow_last) const;
  void note(std::string question) const;
  /// The path under which the machine has this entry: on Windows a name in another case is the same name.
  std::string spelled(const std::string& path) const;

  FixtureMachine machine_;
  std::map<std::string, std::string> spelling_;   // of a Windows machine: lower case -> as written
  mutable std::mutex mutex_;  // reading may come from several threads
  mutable std::vector<std::string> unexpected_;
};

}  // namespace gpuway
