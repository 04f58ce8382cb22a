#include "think/rules/windows/inspect_pe.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/loader/windows/windows_loader.h"

namespace gpuway {
namespace {

using Kind = DllFailure::Kind;

// More missing libraries than this behind one file are not told apart any more.
constexpr int kMaxMissing = 256;
constexpr std::uint16_t kIsDll = 0x2000;   // IMAGE_FILE_DLL

std::string machine_word(std::uint16_t machine) {
  switch (machine) {
    case kMachineX64: return "x86-64";
    case kMachineX86: return "i386";
    case kMachineArm64: return "aarch64";
    default: return "machine " + std::to_string(machine);
  }
}

std::string state_word(Kind kind) {
  switch (kind) {
    case Kind::not_found: return "not-found";
    case Kind::wrong_machine: return "wrong-machine";
    case Kind::denied: return "denied";
    case Kind::symbol_missing: return "symbol-missing";
    case Kind::damaged:
    case Kind::bad_call: break;
  }
  return "malformed";
}

class Replay {
 public:
  Replay(const Snapshot& snapshot, const PeSummary& pe, const std::string& program, InspectedFile& file, Wants& wants)
      : snapshot_(&snapshot), file_(file), wants_(wants) {
    process_.executable = file.kind == "program" ? file.path : program;
    process_.machine = pe.machine;
    process_.current_folder = snapshot.current_folder;
    if (const auto path = snapshot.variables.find("PATH"); path != snapshot.variables.end()) process_.path = path->second;
  }

  void run() {
    file_.opened_by = process_.executable;
    for (int round = 0; round <= kMaxMissing; ++round) {
      WindowsLoader loader(*snapshot_, process_, wants_);
      auto outcome = loader.start();
      if (outcome.state == DllOutcome::State::loaded && file_.kind != "program") outcome = loader.load(file_.path, kSearchDefaultDirs | kSearchDllLoadDir);
      if (outcome.state == DllOutcome::State::undetermined) {
        if (file_.kind != "program") loader.load(file_.path, kSearchDefaultDirs | kSearchDllLoadDir);   // so that it is wanted in the same round
        file_.loads_detail = outcome.reason;
        break;
      }
      if (outcome.state == DllOutcome::State::loaded) {
        collect(loader, file_.kind == "program" ? 0 : outcome.module);
        file_.loads = missing_.empty() ? Verdict::yes : Verdict::no;
        return;
      }
      const auto& failure = *outcome.failure;
      if (failure.asked_by.empty()) {   // it fails at the file itself
        file_.loads = failure.kind == Kind::wrong_machine ? Verdict::undetermined : Verdict::no;
        file_.loads_detail = state_word(failure.kind);
        break;
      }
      note(failure);
      if (missing_.size() == 1) trimmed_ = *snapshot_;
      if (!forget(failure)) {
        file_.loads = Verdict::no;
        break;
      }
      snapshot_ = &trimmed_;
    }
    add_unsettled();
    file_.needs.insert(file_.needs.end(), missing_.begin(), missing_.end());
  }

 private:
  void note(const DllFailure& failure) {
    InspectedNeed need;
    need.name = failure.library;
    need.asked_by = failure.asked_by;
    need.direct = to_lower(failure.asked_by) == to_lower(file_.path);
    need.state = state_word(failure.kind);
    need.path = failure.path;
    need.version = failure.symbol;
    need.searched = failure.searched;
    missing_.push_back(std::move(need));
  }

  // Takes the import out of the copy of the Snapshot, so that the replay gets past it.
  bool forget(const DllFailure& failure) {
    const auto binary = trimmed_.binaries.find(failure.asked_by);
    if (binary == trimmed_.binaries.end() || !binary->second.pe) return false;
    return std::erase_if(binary->second.pe->imports, [&](const std::string& name) { return to_lower(name) == to_lower(failure.library); }) > 0;
  }

  void add_unsettled() {
    const auto binary = snapshot_->binaries.find(file_.path);
    if (binary == snapshot_->binaries.end() || !binary->second.pe) return;
    for (const auto& name : binary->second.pe->imports) file_.needs.push_back({name, file_.path, true, "not-settled", {}, {}, {}, {}});
  }

  // Every import of every module in the inspected file's own tree, breadth first. What belongs to Windows is not followed.
  void collect(const WindowsLoader& loader, int root) {
    const auto& modules = loader.modules();
    std::vector<int> tree{root};
    for (std::size_t at = 0; at < tree.size(); ++at) {
      const auto& module = modules[static_cast<std::size_t>(tree[at])];
      const auto binary = snapshot_->binaries.find(module.path);
      if (module.of_system || binary == snapshot_->binaries.end() || !binary->second.pe) continue;
      for (const auto& name : binary->second.pe->imports) {
        if (is_api_set(name)) continue;   // stands for whatever DLL of Windows has the functions
        const int found = loader.find_loaded(name);
        if (found < 0) continue;
        const auto& target = modules[static_cast<std::size_t>(found)];
        const bool before = found < root;
        file_.needs.push_back({name, module.path, at == 0, "found", target.path, before ? "loaded" : target.rule, {}, {}});
        if (std::find(tree.begin(), tree.end(), found) == tree.end()) tree.push_back(found);
      }
    }
    file_.needs.insert(file_.needs.end(), missing_.begin(), missing_.end());
    std::stable_sort(file_.needs.begin(), file_.needs.end(), [](const InspectedNeed& a, const InspectedNeed& b) { return a.direct && !b.direct; });
  }

  const Snapshot* snapshot_;
  Snapshot trimmed_;
  InspectedFile& file_;
  Wants& wants_;
  WindowsProcess process_;
  std::vector<InspectedNeed> missing_;
};

}  // namespace

void inspect_pe(const Snapshot& snapshot, const PeSummary& pe, const std::string& program, InspectedFile& file, Wants& wants) {
  file.kind = (pe.characteristics & kIsDll) != 0 ? "library" : "program";
  file.machine = machine_word(pe.machine);
  file.bits = pe.is_64 ? 64 : 32;
  if (snapshot.windows) return Replay(snapshot, pe, program, file, wants).run();
  // Where Windows would find them nobody can tell here.
  for (const auto& name : pe.imports) {
    if (!is_api_set(name)) file.needs.push_back({name, file.path, true, "not-settled", {}, {}, {}, {}});
  }
  file.detail = "pe";
}

}  // namespace gpuway
