#include "think/loader/windows/windows_loader.h"

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/text.h"

namespace gpuway {
namespace {

constexpr std::uint32_t kSearchFlags = kSearchDllLoadDir | kSearchApplication | kSearchUserDirs | kSearchSystem32 | kSearchDefaultDirs;
constexpr std::uint16_t kMachineArm64Ec = 0xa641, kMachineArm64X = 0xa64e;
constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxModules = 4096;

bool same(std::string_view a, std::string_view b) { return to_lower(a) == to_lower(b); }

// What is part of Windows itself fits together, and what it is made of is nobody's business here.
bool is_part_of_windows(const PeSummary& pe) {
  const auto product = to_lower(pe.product_name);
  return product.find("windows") != std::string::npos || product == "wine";
}

}  // namespace

WindowsLoader::WindowsLoader(const Snapshot& snapshot, WindowsProcess process, Wants& wants, LoaderVariant variant)
    : snapshot_(snapshot), process_(std::move(process)), wants_(wants), variant_(variant) {
  windows_folder_ = snapshot.windows && !snapshot.windows->windows_folder.empty() ? snapshot.windows->windows_folder : "C:/Windows";
  system_folder_ = snapshot.windows && !snapshot.windows->system_folder.empty() ? snapshot.windows->system_folder : windows_folder_ + "/System32";
  // A 32-bit process on 64-bit Windows has another folder under the same name.
  const bool wide = snapshot.system.architecture.value_or("x86_64") != "x86";
  if (process_.machine == kMachineX86 && wide) {
    hidden_folder_ = to_lower(system_folder_) + "/";
    system_folder_ = windows_folder_ + "/SysWOW64";
  }
  for (const auto part : split(process_.path, ';')) {
    auto folder = from_windows_path(part);
    if (folder.empty()) continue;
    if (!is_absolute(folder)) folder = join_path(process_.current_folder, folder);
    path_.push_back(redirected(collapse_path(folder)));
  }
}

// A path as Windows takes it: LoadLibrary adds ".dll" to a name without an extension, a dot at the end keeps the name as it
// is; ".." goes by text alone; a path that starts at a slash is on the current drive.
std::string WindowsLoader::completed(std::string_view name) const {
  auto path = from_windows_path(name);
  const auto base = file_name(path);
  if (base.ends_with('.')) {
    path.pop_back();
  } else if (base.find('.') == std::string_view::npos) {
    path += ".dll";
  }
  if (path.starts_with('/') && !path.starts_with("//") && is_windows_path(process_.current_folder)) path.insert(0, process_.current_folder, 0, 2);
  return is_absolute(path) ? redirected(collapse_path(path)) : path;
}

// What a 32-bit process on 64-bit Windows gets for a path in System32.
std::string WindowsLoader::redirected(std::string path) const {
  if (hidden_folder_.empty() || !to_lower(path + "/").starts_with(hidden_folder_)) return path;
  return system_folder_ + path.substr(hidden_folder_.size() - 1);
}

// A machine whose programs this Windows can run at all; images of others are refused when they are opened.
bool WindowsLoader::runs_on_this_windows(std::uint16_t machine) const {
  const bool arm = snapshot_.system.architecture.value_or("x86_64") == "aarch64" || process_.machine == kMachineArm64;
  return machine == kMachineX86 || machine == kMachineX64 || (arm && (machine == kMachineArm64 || machine == kMachineArm64Ec));
}

bool WindowsLoader::fits(const PeSummary& pe) const {
  if (pe.machine == process_.machine) return true;
  // Arm64X images serve x64 and Arm64 processes; x64 ones say Arm64EC or x64 in their headers.
  return pe.machine == kMachineArm64X || (process_.machine == kMachineX64 && pe.machine == kMachineArm64Ec);
}

bool WindowsLoader::is_known(std::string_view name) const {
  if (!variant_.known_dlls || !snapshot_.windows || !snapshot_.windows->known_dlls.is_known()) return false;
  const auto& known = *snapshot_.windows->known_dlls;
  return std::find(known.begin(), known.end(), to_lower(name)) != known.end();
}

int WindowsLoader::find_loaded(std::string_view name) const { return find_module(completed(name)); }

int WindowsLoader::find_module(std::string_view name) const {
  const bool full = is_absolute(name);
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    if (same(full ? std::string_view(modules_[i].path) : std::string_view(modules_[i].name), name)) return static_cast<int>(i);
  }
  return -1;
}

int WindowsLoader::find_same_file(const std::string& path) const {
  if (const int module = find_module(path); module >= 0) return module;
  const auto& id = snapshot_.binaries.at(path).file_id;
  for (std::size_t i = 0; i < modules_.size() && !id.empty(); ++i) {
    const auto view = snapshot_.binaries.find(modules_[i].path);
    if (view != snapshot_.binaries.end() && view->second.file_id == id) return static_cast<int>(i);
  }
  return -1;
}

int WindowsLoader::add_module(const std::string& name, const std::string& path, int loader, const std::string& rule, bool of_system) {
  modules_.push_back({name, path, loader, rule, of_system});
  return static_cast<int>(modules_.size()) - 1;
}

std::vector<std::string> WindowsLoader::chain_to(int importer, const std::string& last) const {
  std::vector<std::string> chain = {last};
  for (int at = importer; at >= 0 && chain.size() <= kMaxDepth; at = modules_[static_cast<std::size_t>(at)].loader) {
    chain.push_back(modules_[static_cast<std::size_t>(at)].name);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

void WindowsLoader::fail(DllOutcome& out, DllFailure failure, const Request& request) const {
  failure.library = file_name(request.name);
  if (request.importer >= 0) failure.asked_by = modules_[static_cast<std::size_t>(request.importer)].path;
  failure.chain = chain_to(request.importer, failure.library);
  out.state = DllOutcome::State::failed;
  out.failure = std::move(failure);
}

DllOutcome WindowsLoader::start() {
  DllOutcome out;
  const auto* view = binary(process_.executable);
  if (view == nullptr || !view->pe) {
    out.reason = process_.executable + (view == nullptr ? ": not looked at yet" : ": no program of Windows");
    // What it needs can still be asked for by name.
    add_module(std::string(file_name(process_.executable)), process_.executable, -1, "program", false);
    return out;
  }
  process_.machine = view->pe->machine;
  const int program = add_module(std::string(file_name(process_.executable)), process_.executable, -1, "program", false);
  // What the program sets by calls does not count yet.
  const auto default_flags = std::exchange(process_.default_flags, 0);
  const auto step = map_imports(program, places_of("", 0), 0, out);
  process_.default_flags = default_flags;
  if (step == Step::found) {
    out.state = DllOutcome::State::loaded;
    out.module = program;
  }
  return out;
}

DllOutcome WindowsLoader::load(const std::string& name, std::uint32_t flags) {
  DllOutcome out;
  const Request request{completed(name), -1};
  const bool full = is_absolute(request.name);
  const bool altered = (flags & kAlteredSearchPath) != 0;
  const bool excluded = altered && ((flags & kSearchFlags) != 0 || (process_.default_flags != 0 && !full));
  if (excluded || ((flags & kSearchDllLoadDir) != 0 && !full)) {
    DllFailure failure;
    failure.kind = DllFailure::Kind::bad_call;
    failure.code = 87;
    fail(out, std::move(failure), request);
    return out;
  }
  const auto before = modules_.size();
  int module = -1;
  const auto step = bind(request, places_of(request.name, flags), 0, module, out);
  if (step != Step::found) {
    modules_.resize(before);   // a failed load leaves nothing behind
    return out;
  }
  out.state = DllOutcome::State::loaded;
  out.module = module;
  return out;
}

WindowsLoader::Step WindowsLoader::bind(const Request& request, const std::vector<Place>& places, int depth, int& module, DllOutcome& out) {
  const std::string base(file_name(request.name));
  module = find_module(request.name.find('/') == std::string::npos ? std::string_view(base) : std::string_view(request.name));
  if (module >= 0) return Step::found;
  if (is_api_set(base)) {
    module = add_module(base, join_path(system_folder_, base), request.importer, "api-set", true);
    return Step::found;
  }
  if (request.name == base && is_known(base)) {
    module = add_module(base, join_path(system_folder_, base), request.importer, "known-dll", true);
    return Step::found;
  }
  std::string path, rule;
  const auto step = find(request, places, path, rule, out);
  if (step != Step::found) return step;
  module = find_same_file(path);   // by another name, as a link or through another case
  if (module >= 0) return Step::found;
  const auto& pe = *snapshot_.binaries.at(path).pe;
  const bool of_system = (rule == "system-folder" || rule == "windows-folder") && is_part_of_windows(pe);
  if (depth >= kMaxDepth || modules_.size() >= kMaxModules) {
    out.state = DllOutcome::State::undetermined;
    out.reason = path + ": more than " + std::to_string(kMaxDepth) + " imports deep or " + std::to_string(kMaxModules) + " modules";
    return Step::pending;
  }
  module = add_module(std::string(file_name(path)), path, request.importer, rule, of_system);
  if (of_system) return Step::found;
  auto own = places;
  if (pe.dependent_load_flags != 0) own = places_of(path, pe.dependent_load_flags);
  return map_imports(module, own, depth + 1, out);
}

// The flags of the outermost call rule the whole recursion: an import in a third folder does not bring its own folder in.
WindowsLoader::Step WindowsLoader::map_imports(int module, const std::vector<Place>& places, int depth, DllOutcome& out) {
  const auto path = modules_[static_cast<std::size_t>(module)].path;
  const auto& pe = *snapshot_.binaries.at(path).pe;
  bool pending = false;
  DllOutcome first;
  for (const auto& library : pe.imports) {
    int imported = -1;
    DllOutcome own;
    auto step = bind({completed(library), module}, places, depth, imported, own);
    if (step == Step::found && !modules_[static_cast<std::size_t>(imported)].of_system) {
      step = check_imports(module, library, imported, places, depth, own);
    }
    if (step == Step::failed && !pending) {
      out = std::move(own);
      return step;
    }
    // What could not be told yet hides what comes behind it, but all of it can be asked for in one round.
    if (step != Step::found && !pending) {
      pending = true;
      first = std::move(own);
    }
  }
  if (!pending) return Step::found;
  first.state = DllOutcome::State::undetermined;
  out = std::move(first);
  return Step::pending;
}

WindowsLoader::Step WindowsLoader::check_imports(int importer, const std::string& library, int exporter, const std::vector<Place>& places,
                                                 int depth, DllOutcome& out) {
  ImportCheck question;
  question.importer = modules_[static_cast<std::size_t>(importer)].path;
  question.library = library;
  question.exporter = modules_[static_cast<std::size_t>(exporter)].path;
  const auto found = snapshot_.import_checks.find(question.key());
  if (found == snapshot_.import_checks.end() || found->second.outcome == ImportCheck::Outcome::unreadable) {
    out.state = DllOutcome::State::undetermined;
    out.reason = question.exporter + ": " + (found == snapshot_.import_checks.end() ? "exports not compared yet" : found->second.detail);
    if (found == snapshot_.import_checks.end()) wants_.import_checks.emplace(question.key(), std::move(question));
    return Step::pending;
  }
  const auto& answer = found->second;
  if (answer.missing_count > 0 && variant_.checks_imports) {
    const auto symbol = answer.missing.empty() ? std::string() : answer.missing.front();
    DllFailure failure;
    failure.kind = DllFailure::Kind::symbol_missing;
    failure.code = symbol.starts_with('#') ? 182 : 127;
    failure.path = question.exporter;
    failure.symbol = symbol;
    fail(out, std::move(failure), {library, importer});
    return Step::failed;
  }
  for (const auto& forwarded : answer.forwarded_to) {
    int module = -1;
    const auto before = modules_.size();
    DllOutcome own;
    const auto step = bind({completed(forwarded), exporter}, places, depth + 1, module, own);
    if (step == Step::failed && !variant_.checks_imports) {
      modules_.resize(before);
    } else if (step != Step::found) {
      out = std::move(own);
      return step;
    }
  }
  return Step::found;
}

}  // namespace gpuway
