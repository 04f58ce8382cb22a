#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "think/loader/glibc/glibc_loader.h"

namespace gpuway::loader_test {

/// A machine of a few files, and a process of /bin/prog on it. What was not added is not there.
class Machine {
 public:
  Machine() {
    add("/bin/prog");
    snapshot.loader_cache = Fact<LoaderCache>::known({}, {});
    snapshot.system.libc = Fact<std::string>::known("glibc 2.39", {});
    snapshot.system.distribution = Fact<std::string>::known("debian", {});
    setup.executable = "/bin/prog";
    setup.current_folder = "/work";
  }

  /// A library of this machine that needs others; its ElfSummary, to be changed.
  ElfSummary& add(const std::string& path, std::vector<std::string> needed = {}) {
    BinaryView view;
    view.outcome = BinaryView::Outcome::elf;
    view.file_id = path;
    view.file_size = 1 << 20;
    view.elf = ElfSummary();
    view.elf->elf_class = ElfClass::elf64;
    view.elf->machine = 62;
    view.elf->type = 3;
    view.elf->needed = std::move(needed);
    return *put(path, std::move(view)).elf;
  }
  BinaryView& put(const std::string& path, BinaryView view) {
    // Every folder above knows what lies in it.
    for (auto at = path.rfind('/'); at != std::string::npos && at > 0; at = path.rfind('/', at - 1)) {
      auto& folder = snapshot.folders[path.substr(0, at)];
      folder.outcome = FolderView::Outcome::listed;
      const auto name = path.substr(at + 1, path.find('/', at + 1) - at - 1);
      if (!folder.holds(name))
        folder.names.insert(std::lower_bound(folder.names.begin(), folder.names.end(), name), name);
    }
    return snapshot.binaries[path] = std::move(view);
  }
  BinaryView& put(const std::string& path, BinaryView::Outcome outcome) {
    BinaryView view;
    view.outcome = outcome;
    return put(path, std::move(view));
  }

  /// Starts the process and opens the libraries one after another, until nothing is wanted any more. The answers, one a
  /// request: the file, or what is wrong with which.
  std::vector<std::string> open(const std::vector<LoadRequest>& requests) {
    snapshot.symbol_checks.clear();
    for (int round = 0; round < 50; ++round) {
      Wants wants;
      GlibcLoader loader(snapshot, setup, wants);
      std::vector<std::string> answers;
      const auto start = loader.start();
      if (start.state != LoadOutcome::State::loaded) answers.push_back(text(loader, start));
      for (const auto& request : requests) {
        if (answers.empty() || start.state == LoadOutcome::State::loaded)
          answers.push_back(text(loader, loader.open(request)));
      }
      objects.clear();
      for (const auto& object : loader.objects()) objects.push_back(object.path);
      if (wants.empty()) return answers;
      for (const auto& [path, unused] : wants.folders) snapshot.folders[path].outcome = FolderView::Outcome::missing;
      for (const auto& [path, unused] : wants.binaries) snapshot.binaries[path].outcome = BinaryView::Outcome::missing;
      for (auto [key, check] : wants.symbol_checks) {
        check.outcome = SymbolCheck::Outcome::looked;
        if (lacks_symbol.contains(check.object)) check.missing.push_back({"wanted", "", ""});
        snapshot.symbol_checks[key] = check;
      }
    }
    return {"still wants something"};
  }
  std::string open(const std::string& name) { return open({{.name = name}}).back(); }

  Snapshot snapshot;
  ProcessSetup setup;
  std::set<std::string> lacks_symbol;  // objects with a reference that nobody satisfies
  std::vector<std::string> objects;    // after the last open()

 private:
  static std::string text(const GlibcLoader& loader, const LoadOutcome& outcome) {
    if (outcome.state == LoadOutcome::State::loaded)
      return loader.objects()[static_cast<std::size_t>(outcome.object)].path;
    if (!outcome.failure) return "undetermined: " + outcome.reason;
    static constexpr const char* kKinds[] = {"not-found",      "too-short",       "not-elf", "malformed",
                                             "wrong-class",    "wrong-machine",   "denied",  "version-missing",
                                             "symbol-missing", "executable-stack"};
    const auto& failure = *outcome.failure;
    const bool dies = outcome.state == LoadOutcome::State::process_dies;
    return (dies ? "dies" : kKinds[static_cast<int>(failure.kind)]) +
           (" " + (failure.path.empty() ? failure.library : failure.path));
  }
};

}  // namespace gpuway::loader_test
