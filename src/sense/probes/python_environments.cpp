#include "sense/probes/python_environments.h"

#include <algorithm>
#include <map>

#include "sense/probes/python_finder.h"
#include "sense/probes/python_prefix.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxEnvironments = 500;

class Collector {
 public:
  Collector(FolderCache& folders, const PythonSearch& search, Snapshot& snapshot)
      : reader_(folders, search), snapshot_(snapshot) {}

  /// One environment may be found on several ways; false when the way leads to none.
  bool take(const PrefixCandidate& candidate) {
    const auto place = reader_.locate(candidate);
    if (!place) return false;
    if (const auto known = known_.find(place->key); known != known_.end()) {
      if (known->second) note_way(*known->second, candidate.found_by);
      return known->second.has_value();
    }
    auto& index = known_[place->key];
    if (snapshot_.environments.size() >= kMaxEnvironments) return false;
    auto environment = reader_.read(candidate, *place);
    if (!environment) return false;
    // Two interpreters of one prefix and version are one environment: /usr/bin/python3 and /bin/python3.11.
    const auto same =
        std::find_if(snapshot_.environments.begin(), snapshot_.environments.end(), [&](const PythonEnvironment& other) {
          return other.path == environment->path && other.version.value == environment->version.value &&
                 other.free_threaded == environment->free_threaded;
        });
    if (same != snapshot_.environments.end()) {
      index = static_cast<std::size_t>(same - snapshot_.environments.begin());
      note_way(*index, candidate.found_by);
      return true;
    }
    index = snapshot_.environments.size();
    environment->id = "e" + std::to_string(*index + 1);
    snapshot_.environments.push_back(std::move(*environment));
    note_way(*index, candidate.found_by);
    return true;
  }

  std::size_t count() const { return snapshot_.environments.size(); }
  const PythonEnvironment& at(std::size_t index) const { return snapshot_.environments[index]; }

  /// What `python` starts here; without any on PATH, the environment that the shell was told to use.
  void mark_active() {
    for (const auto* way : {"PATH", "VIRTUAL_ENV", "CONDA_PREFIX"}) {
      for (auto& environment : snapshot_.environments) {
        const auto& ways = environment.found_by;
        if (std::find(ways.begin(), ways.end(), way) == ways.end()) continue;
        environment.active = true;
        return;
      }
    }
  }

 private:
  void note_way(std::size_t index, const std::string& found_by) {
    auto& ways = snapshot_.environments[index].found_by;
    if (std::find(ways.begin(), ways.end(), found_by) == ways.end()) ways.push_back(found_by);
  }

  EnvironmentReader reader_;
  Snapshot& snapshot_;
  std::map<std::string, std::optional<std::size_t>> known_;
};

}  // namespace

void collect_python_environments(const Host& host, const PythonSearch& search, Snapshot& snapshot,
                                 std::vector<std::string>& not_found) {
  FolderCache folders(host, search.modules);
  PythonFinder finder(folders, search);
  Collector collector(folders, search, snapshot);
  for (const auto& candidate : finder.find(not_found)) {
    if (!collector.take(candidate) && !candidate.given.empty()) not_found.push_back(candidate.given);
  }
  if (search.search_everywhere) {
    // A kernel of one environment may start the Python of another: the classic "works in the terminal, not in the
    // notebook".
    for (std::size_t i = 0; i < collector.count(); ++i) {
      for (const auto& candidate : finder.kernels_of(collector.at(i).path)) collector.take(candidate);
    }
  }
  collector.mark_active();
}

}  // namespace gpuway
