#include "sense/probes/windows/windows_interpreter.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/formats/pe.h"
#include "think/formats/python_records.h"

namespace gpuway {
namespace {

constexpr std::uint64_t kMaxConfig = 65536;

// "python310.dll", "python313t.dll"; python3.dll only hands on.
std::optional<PythonName> name_of_dll(std::string_view file) {
  const auto lower = to_lower(file);
  constexpr std::string_view head = "python3", tail = ".dll";
  if (!lower.starts_with(head) || !lower.ends_with(tail) || lower.size() <= head.size() + tail.size()) return std::nullopt;
  auto digits = lower.substr(head.size(), lower.size() - head.size() - tail.size());
  PythonName name{"python", 3, 0, digits.ends_with('t')};
  if (name.free_threaded) digits.pop_back();
  const auto minor = to_integer(digits);
  if (!minor || *minor < 0 || *minor > 99) return std::nullopt;
  name.minor = static_cast<int>(*minor);
  return name;
}

const FolderEntry* dll_in(FolderCache& folders, const std::string& folder) {
  const auto* listing = folders.list(folder);
  if (listing == nullptr) return nullptr;
  for (const auto& entry : listing->entries) {
    if (name_of_dll(entry.name)) return &entry;
  }
  return nullptr;
}

std::optional<PythonName> name_of_version(std::string_view version) {
  const auto parts = split(version, '.');
  if (parts.size() < 2) return std::nullopt;
  return parse_python_name("python" + std::string(parts[0]) + "." + std::string(parts[1]));
}

std::optional<PeSummary> image(const Host& host, const std::string& path) {
  const auto file = host.open_file(path);
  if (!file) return std::nullopt;
  auto summary = summarize_pe(**file);
  return summary ? std::optional(summary.take()) : std::nullopt;
}

std::string platform_of(std::uint16_t machine) {
  constexpr std::uint16_t x86 = 0x14c, arm64 = 0xaa64;
  return machine == x86 ? "win32" : machine == arm64 ? "win_arm64" : "win_amd64";
}

}  // namespace

std::optional<InterpreterPlace> locate_windows_python(FolderCache& folders, const PrefixCandidate& candidate) {
  InterpreterPlace place{candidate.prefix, candidate.executable, {}};
  if (place.executable.empty()) {
    for (const auto* name : {"python.exe", "Scripts/python.exe"}) {
      const auto path = join_path(place.prefix, name);
      if (!folders.is_file(path)) continue;
      place.executable = path;
      break;
    }
    if (place.executable.empty()) return std::nullopt;
  }
  const auto real = folders.host().real_path(place.prefix);
  place.key = to_lower(real ? *real : place.prefix);
  return place;
}

std::optional<Interpreter> read_windows_python(FolderCache& folders, const PrefixCandidate& candidate, const InterpreterPlace& place,
                                               std::vector<std::string>& problems) {
  const auto& host = folders.host();
  Interpreter interpreter;
  interpreter.prefix = place.prefix;
  interpreter.executable = place.executable;
  for (const auto& folder : {parent_path(place.executable), place.prefix}) {
    const auto path = join_path(folder, "pyvenv.cfg");
    const auto text = host.read_file(path, kMaxConfig);
    if (text) {
      interpreter.config = parse_pyvenv_cfg(*text);
      interpreter.config->home = clean_path(from_windows_path(interpreter.config->home));
      interpreter.config_path = path;
      break;
    }
    if (text.error().code != ErrorCode::not_found) problems.push_back(path + ": " + text.error().text());
  }
  // A virtual environment's python.exe only starts the one in `home`.
  const auto base = interpreter.config ? interpreter.config->home : place.prefix;
  const auto base_executable = join_path(base, "python.exe");
  const Source source{Source::Kind::file, interpreter.config ? interpreter.config_path : place.executable};
  const bool there = folders.is_file(base_executable);
  interpreter.real_executable = there ? Fact<std::string>::known(base_executable, source) : Fact<std::string>::absent(source);
  const auto* dll = dll_in(folders, base);
  auto name = dll != nullptr ? name_of_dll(dll->name) : std::nullopt;
  if (!name && interpreter.config) name = name_of_version(interpreter.config->version);
  const bool has_library = folders.is_file(join_path(base, "Lib/os.py"));
  const bool sure_place = interpreter.config || candidate.found_by == "argument";
  if (!name && !has_library && !sure_place) return std::nullopt;

  if (name) interpreter.base.name = *name;
  interpreter.base.windows = true;
  interpreter.base.lib = "Lib";
  if (there) interpreter.base.prefix = base;
  const auto library = dll != nullptr ? image(host, join_path(base, dll->name)) : std::nullopt;
  const auto program = there ? image(host, base_executable) : std::nullopt;
  const Source machine_source{Source::Kind::file, base_executable};
  if (program) {
    interpreter.machine = Fact<std::uint16_t>::known(program->machine, machine_source);
  } else {
    interpreter.machine = Fact<std::uint16_t>::undetermined(ErrorCode::not_found, "no program that could be read", machine_source);
  }
  interpreter.base.extension_suffixes = {".pyd"};
  if (name) {
    const auto tag = ".cp" + std::to_string(name->major) + std::to_string(name->minor) + (name->free_threaded ? "t-" : "-") +
                     platform_of(interpreter.machine.value_or(0x8664)) + ".pyd";
    interpreter.base.extension_suffixes.insert(interpreter.base.extension_suffixes.begin(), tag);
  }
  if (library && !library->product_version.empty()) {
    interpreter.version = Fact<std::string>::known(library->product_version, {Source::Kind::file, join_path(base, dll->name)});
  } else if (interpreter.config && !interpreter.config->version.empty()) {
    const auto parts = split(interpreter.config->version, '.');
    std::string release;
    for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 3); ++i) release += (i == 0 ? "" : ".") + std::string(parts[i]);
    interpreter.version = Fact<std::string>::known(release, {Source::Kind::file, interpreter.config_path});
  } else if (name) {
    interpreter.version = Fact<std::string>::known("3." + std::to_string(name->minor), source);
  } else {
    interpreter.version = Fact<std::string>::undetermined(ErrorCode::not_found, "no file tells the version", source);
  }
  return interpreter;
}

}  // namespace gpuway
