#include "think/rules/inspect.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/path.h"
#include "base/text.h"
#include "think/knowledge/cuda.h"
#include "think/loader/glibc/glibc_loader.h"
#include "think/rules/gpu/cuda_names.h"
#include "think/rules/windows/inspect_pe.h"

namespace gpuway {
namespace {

using Kind = LoadFailure::Kind;

// More missing libraries than this in one file are not told apart any more.
constexpr int kMaxMissing = 256;

std::string state_word(const LoadFailure& failure, bool dies) {
  if (dies) return "cut-off";
  switch (failure.kind) {
    case Kind::not_found: return "not-found";
    case Kind::too_short: return "too-short";
    case Kind::not_elf: return "not-elf";
    case Kind::malformed: return "malformed";
    case Kind::wrong_class: return "wrong-class";
    case Kind::wrong_machine: return "wrong-machine";
    case Kind::denied: return "denied";
    case Kind::version_missing: return "version-missing";
    case Kind::executable_stack: return "executable-stack";
    case Kind::symbol_missing: break;
  }
  return "malformed";
}

std::string machine_word(std::uint16_t machine) {
  switch (machine) {
    case 3: return "i386";
    case 62: return "x86-64";
    case 183: return "aarch64";
    case 21: return "ppc64";
    case 40: return "arm";
    case 190: return "nvidia-gpu";
    default: return "machine " + std::to_string(machine);
  }
}

bool is_program(const ElfSummary& elf) { return elf.interpreter && !elf.soname; }

// Takes one wish out of the copy of the Snapshot, so that the replay gets past it. False when there is none to take
// out.
bool forget(Snapshot& trimmed, const LoadFailure& failure) {
  const auto by_version = failure.kind == Kind::version_missing;
  const auto binary = trimmed.binaries.find(by_version ? failure.path : failure.asked_by);
  if (binary == trimmed.binaries.end() || !binary->second.elf) return false;
  if (by_version) {
    auto& needs = binary->second.elf->version_needs;
    return std::erase_if(needs, [&](const VersionNeed& need) { return need.version == failure.version; }) > 0;
  }
  return failure.needed && std::erase(binary->second.elf->needed, failure.library) > 0;
}

class Replay {
 public:
  Replay(const Snapshot& snapshot, const std::string& program, InspectedFile& file, Wants& wants)
      : snapshot_(&snapshot), file_(file), wants_(wants) {
    setup_.executable = program;
    setup_.current_folder = snapshot.current_folder;
    const auto variable = [&](const char* name) {
      const auto found = snapshot.variables.find(name);
      return found == snapshot.variables.end() ? std::string() : found->second;
    };
    setup_.library_path = variable("LD_LIBRARY_PATH");
    setup_.preload = variable("LD_PRELOAD");
  }

  void run() {
    file_.opened_by = setup_.executable;
    for (int round = 0; round <= kMaxMissing; ++round) {
      GlibcLoader loader(*snapshot_, setup_, wants_);
      auto outcome = loader.start();
      const bool started = outcome.state == LoadOutcome::State::loaded;
      if (started && file_.path != setup_.executable) {
        outcome =
            loader.open({.name = file_.path, .caller = importer(loader), .global = false, .check_symbols = false});
      } else if (outcome.state == LoadOutcome::State::undetermined && file_.path != setup_.executable) {
        loader.open({.name = file_.path});  // so that it is wanted in the same round
      }
      if (outcome.state == LoadOutcome::State::undetermined) {
        file_.loads_detail = outcome.reason;
        break;
      }
      if (outcome.state == LoadOutcome::State::loaded) {
        collect(loader, outcome.object);
        file_.loads = dies_ ? Verdict::crashes : missing_.empty() ? Verdict::yes : Verdict::no;
        return;
      }
      const bool dies = outcome.state == LoadOutcome::State::process_dies;
      const auto& failure = *outcome.failure;
      if (!failure.needed && failure.kind != Kind::version_missing) {  // it fails at the file itself
        const bool other_machine = failure.kind == Kind::wrong_class || failure.kind == Kind::wrong_machine;
        file_.loads = dies ? Verdict::crashes : other_machine ? Verdict::undetermined : Verdict::no;
        file_.loads_detail = state_word(failure, dies);
        break;
      }
      note(failure, dies);
      if (missing_.size() == 1) trimmed_ = *snapshot_;
      if (!forget(trimmed_, failure)) {
        file_.loads = dies_ ? Verdict::crashes : Verdict::no;
        break;
      }
      snapshot_ = &trimmed_;
    }
    add_unsettled();
    file_.needs.insert(file_.needs.end(), missing_.begin(), missing_.end());
  }

 private:
  static int importer(const GlibcLoader& loader) {
    for (std::size_t i = 0; i < loader.objects().size(); ++i) {
      if (file_name(loader.objects()[i].path).starts_with("libpython")) return static_cast<int>(i);
    }
    return GlibcLoader::kProgram;
  }

  void note(const LoadFailure& failure, bool dies) {
    InspectedNeed need;
    need.name = failure.library;
    need.asked_by = failure.asked_by;
    need.state = state_word(failure, dies);
    need.path = failure.path;
    need.searched = failure.searched;
    if (failure.kind == Kind::version_missing) {
      need.name = file_name(failure.version_file);
      need.asked_by = failure.path;
      need.path = failure.version_file;
      need.version = failure.version;
    }
    need.direct = need.asked_by == file_.path;
    dies_ = dies_ || dies;
    missing_.push_back(std::move(need));
  }

  // The replay broke off: what the file itself asks for is all that is known.
  void add_unsettled() {
    const auto binary = snapshot_->binaries.find(file_.path);
    if (binary == snapshot_->binaries.end() || !binary->second.elf) return;
    for (const auto& name : binary->second.elf->needed)
      file_.needs.push_back({name, file_.path, true, "not-settled", {}, {}, {}, {}});
  }

  // Every wish of every object in the inspected file's own tree, breadth first; then what was missed.
  void collect(GlibcLoader& loader, int root) {
    const auto& objects = loader.objects();
    std::vector<int> tree{root};
    for (std::size_t at = 0; at < tree.size(); ++at) {
      const auto& object = objects[static_cast<std::size_t>(tree[at])];
      const auto binary = snapshot_->binaries.find(object.path);
      if (binary == snapshot_->binaries.end() || !binary->second.elf) continue;
      for (const auto& name : binary->second.elf->needed) {
        const int found = loader.find_loaded(name);
        if (found < 0) continue;
        const auto& target = objects[static_cast<std::size_t>(found)];
        // What the program brought along was found in the same places; "loaded" says only that it was there first.
        const bool before = found < root && root != GlibcLoader::kProgram;
        file_.needs.push_back(
            {name, object.path, at == 0, "found", target.path, before ? "loaded" : target.rule, {}, {}});
        if (std::find(tree.begin(), tree.end(), found) == tree.end()) tree.push_back(found);
      }
    }
    file_.needs.insert(file_.needs.end(), missing_.begin(), missing_.end());
    std::stable_sort(file_.needs.begin(), file_.needs.end(),
                     [](const InspectedNeed& a, const InspectedNeed& b) { return a.direct && !b.direct; });
  }

  const Snapshot* snapshot_;
  Snapshot trimmed_;
  InspectedFile& file_;
  Wants& wants_;
  ProcessSetup setup_;
  std::vector<InspectedNeed> missing_;
  bool dies_ = false;
};

void add_gpu_code(const Snapshot& snapshot, InspectedFile& file, Wants& wants) {
  const auto found = snapshot.gpu_code.find(file.path);
  if (found == snapshot.gpu_code.end()) {
    wants.gpu_code.emplace(file.path, true);
    file.gpu_code_detail = "not read";
    return;
  }
  if (found->second.is_known()) {
    file.gpu_code = *found->second.value;
  } else {
    file.gpu_code_detail = std::string(to_word(found->second.reason)) + ": " + found->second.detail;
  }
}

InspectedFile inspect_file(const Snapshot& snapshot, const std::string& path, const std::string& program,
                           Wants& wants) {
  InspectedFile file;
  file.path = path;
  const auto found = snapshot.binaries.find(path);
  if (found == snapshot.binaries.end()) {
    wants.binaries.emplace(path, true);
    wants.gpu_code.emplace(path, true);
    file.kind = "unreadable";
    file.detail = "not read";
    return file;
  }
  const auto& view = found->second;
  using Outcome = BinaryView::Outcome;
  const bool there = view.outcome == Outcome::elf || view.outcome == Outcome::pe || view.outcome == Outcome::other_format ||
                     view.outcome == Outcome::malformed || view.outcome == Outcome::too_short;
  if (!there) {
    file.kind = "unreadable";
    file.detail = view.detail.empty() ? std::string(to_word(view.reason)) : view.detail;
    return file;
  }
  add_gpu_code(snapshot, file, wants);
  const bool has_code = file.gpu_code && !file.gpu_code->rows.empty();
  if (view.elf) {
    const auto& elf = *view.elf;
    file.bits = elf.elf_class == ElfClass::elf64 ? 64 : elf.elf_class == ElfClass::elf32 ? 32 : 0;
    file.machine = machine_word(elf.machine);
    file.soname = elf.soname.value_or("");
    file.rpath = elf.rpath;
    file.runpath = elf.runpath;
  }
  if (view.outcome == Outcome::elf && (view.elf->type == 2 || view.elf->type == 3) && file.machine != "nvidia-gpu") {
    file.kind = is_program(*view.elf) ? "program" : "library";
    Replay(snapshot, file.kind == "program" ? path : program, file, wants).run();
  } else if (view.pe && view.outcome != Outcome::malformed) {
    inspect_pe(snapshot, *view.pe, program, file, wants);
  } else {
    file.kind = has_code ? "gpu-code" : "other";
    if (!has_code) file.detail = view.detail;
    if (view.detail == "zip" || view.detail == "gzip") {  // what is packed shows none of its marks
      file.gpu_code.reset();
      file.gpu_code_detail = "packed";
    }
  }
  file.driver = lowest_driver(file.needs, file.gpu_code ? &*file.gpu_code : nullptr);
  if (view.pe) file.driver = lowest_windows_driver(file.needs, file.gpu_code ? &*file.gpu_code : nullptr);
  return file;
}

}  // namespace

DriverNeed lowest_windows_driver(const std::vector<InspectedNeed>& needs, const GpuCodeSummary* code) {
  using Row = GpuCodeSummary::Row;
  DriverNeed need;
  for (const auto& row : needs) {
    constexpr std::string_view stem = "cudart64_";   // cudart64_110.dll, cudart64_12.dll
    const auto name = to_lower(row.name);
    if (!name.starts_with(stem)) continue;
    const auto number = static_cast<int>(to_integer(std::string_view(name).substr(stem.size(), name.find('.') - stem.size())).value_or(0));
    const int major = number >= 100 ? number / 10 : number;
    need.lowest = lowest_windows_driver_of_major(major);
    if (!need.lowest.empty()) need.because = "CUDA " + std::to_string(major) + ", by " + row.name;
    return need;
  }
  if (code == nullptr) return need;
  CudaVersion newest{};
  bool machine_code = false;
  for (const auto& row : code->rows) {
    machine_code = machine_code || row.kind == Row::Kind::machine_code;
    if (row.kind == Row::Kind::ptx) newest = std::max(newest, CudaVersion{static_cast<int>(row.ptx_major), static_cast<int>(row.ptx_minor)});
  }
  // PTX alone would need the driver of its very release, which no table has for Windows.
  const auto release = newest.major > 0 && machine_code ? cuda_for_ptx(static_cast<unsigned>(newest.major), static_cast<unsigned>(newest.minor)) : std::nullopt;
  if (!release) return need;
  need.lowest = lowest_windows_driver_of_major(release->major);
  need.ptx_isa = newest.text();
  if (!need.lowest.empty()) need.because = "CUDA " + std::to_string(release->major) + ", by PTX ISA " + need.ptx_isa;
  return need;
}

DriverNeed lowest_driver(const std::vector<InspectedNeed>& needs, const GpuCodeSummary* code) {
  using Row = GpuCodeSummary::Row;
  DriverNeed need;
  CudaVersion newest{};  // of the PTX
  bool machine_code = false;
  if (code != nullptr) {
    for (const auto& row : code->rows) {
      machine_code = machine_code || row.kind == Row::Kind::machine_code;
      const CudaVersion isa{static_cast<int>(row.ptx_major), static_cast<int>(row.ptx_minor)};
      if (row.kind == Row::Kind::ptx) newest = std::max(newest, isa);
    }
  }
  std::optional<CudaVersion> ptx_release;
  if (newest.major > 0) {
    need.ptx_isa = newest.text();
    ptx_release = cuda_for_ptx(static_cast<unsigned>(newest.major), static_cast<unsigned>(newest.minor));
    if (ptx_release) need.for_ptx = lowest_driver_of_release(*ptx_release);
  }
  const auto from = [&](CudaVersion release, const std::string& because) {
    // CUDA 10 and older have no minor-version compatibility: the driver must know the very release.
    const auto by_major = lowest_driver_of_major(release.major);
    need.lowest = by_major.empty() ? lowest_driver_of_release(release) : by_major;
    if (!need.lowest.empty()) need.because = "CUDA " + (by_major.empty() ? release.text() : std::to_string(release.major)) + ", by " + because;
  };
  for (const auto& row : needs) {
    const auto level = level_of_cudart(row.name);
    if (level.major == 0) continue;
    from({level.major, level.minor}, row.name);
    return need;
  }
  if (!ptx_release) return need;
  if (machine_code) {
    from(*ptx_release, "PTX ISA " + need.ptx_isa);
  } else if (!need.for_ptx.empty()) {
    need.lowest = need.for_ptx;
    need.because = "PTX ISA " + need.ptx_isa;
  }
  return need;
}

namespace {

// A library that is not found by itself but is one of the files inspected: whoever uses the file loads that one before.
void settle_among_themselves(std::vector<InspectedFile>& files) {
  std::map<std::string, std::string> by_name;
  for (const auto& file : files) {
    by_name.emplace(file_name(file.path), file.path);
    if (!file.soname.empty()) by_name.emplace(file.soname, file.path);
  }
  for (auto& file : files) {
    if (file.loads != Verdict::no) continue;
    bool all_there = file.loads_detail.empty();
    for (auto& need : file.needs) {
      if (need.state == "found" || need.state == "not-settled") continue;
      const auto other = by_name.find(need.name);
      if (need.state != "not-found" || other == by_name.end()) {
        all_there = false;
        continue;
      }
      need.state = "elsewhere";
      need.path = other->second;
    }
    if (!all_there) continue;
    file.loads = Verdict::undetermined;
    file.loads_detail = "elsewhere";
  }
}

}  // namespace

std::vector<InspectedFile> inspect_files(const Snapshot& snapshot, const InspectRequest& request, Wants& wants) {
  std::vector<InspectedFile> files;
  files.reserve(request.files.size());
  for (const auto& path : request.files) files.push_back(inspect_file(snapshot, path, request.program, wants));
  settle_among_themselves(files);
  return files;
}

}  // namespace gpuway
