#include "think/rules/python/python_pins_check.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/knowledge/imports.h"
#include "think/knowledge/python_pins.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"

namespace gpuway {
namespace {

std::string module_folder(const ChainBuilder& chain, std::string_view module) {
  const auto* winner = chain.import_of(module);
  return winner == nullptr || winner->kind != ImportCandidate::Kind::package ? std::string()
                                                                             : parent_path(winner->path);
}

// The version of a package as its own files say it, where two records of one name disagree about it.
std::string numpy_version(ChainBuilder& chain, std::string& where) {
  const auto folder = module_folder(chain, "numpy");
  const auto* package = provider_of(chain, "numpy");
  const bool sole = package != nullptr && package->site == parent_path(folder) &&
                    std::count_if(chain.environment().packages.begin(), chain.environment().packages.end(),
                                  [&](const PythonPackage& other) {
                                    return other.name == "numpy" && other.site == package->site;
                                  }) == 1;
  if (sole) {
    where = package->location;
    return package->version;
  }
  if (folder.empty()) return {};
  where = join_path(folder, "version.py");
  const auto* text = chain.text(where);
  if (text == nullptr) return {};
  for (const auto* key : {"short_version", "full_version", "version"}) {
    if (auto value = python_constant(*text, key); !release_numbers(value).empty()) return value;
  }
  return {};
}

// An extension that knows only `numpy.core` was compiled against NumPy 1; NumPy 2 moved the table it asks for to
// `numpy._core` and changed its layout, so import_array() fails. (NumPy 2.0 migration guide; measured 2026-12-01.)
enum class Abi : std::uint8_t { numpy1, both, unknown };
Abi numpy_abi(ChainBuilder& chain, const std::string& file) {
  const auto fresh = holds_bytes(chain, file, "numpy._core._multiarray_umath");
  const auto old = holds_bytes(chain, file, "numpy.core._multiarray_umath");
  if (fresh.is_known() && *fresh) return Abi::both;
  if (fresh.is_known() && old.is_known()) return *old ? Abi::numpy1 : Abi::unknown;
  return Abi::unknown;
}

bool pending(const ChainBuilder& chain, const std::string& file) {
  return !chain.snapshot().needles.contains(needle_key(file, "numpy._core._multiarray_umath"));
}

void add_numpy(ChainBuilder& chain, const std::string& numpy, const std::string& where, const std::string& file,
               const std::string& what, bool fails) {
  auto& finding = chain.add(LinkId::interpreter, "numpy2-abi-break", fails ? Effect::import_fails : Effect::harmless,
                            fails ? Severity::error : Severity::warning);
  set_args(finding, {{"framework", chain.chain.framework},
                     {"version", chain.chain.version},
                     {"numpy", numpy},
                     {"built", std::string("1")}});
  add_evidence(finding, "file", where, "NumPy " + numpy);
  add_evidence(finding, "file", file, what);
  const auto* package = provider_of(chain, "numpy");
  set_next_step(finding, "install-fitting-version", package == nullptr ? std::vector<std::string>{install_command(chain, {"numpy<2"})} : change_commands(chain, *package, {"numpy<2"}));
}

// The ending of extension modules made for this very Python: "cpython-311-x86_64-linux-gnu.so", "cp310-win_amd64.pyd".
std::string extension_tag(const ChainBuilder& chain) {
  const auto python = release_numbers(chain.environment().version.value_or(""));
  if (python.size() < 2) return {};
  const auto number = std::to_string(python[0]) + std::to_string(python[1]) + (chain.environment().free_threaded ? "t" : "") + "-";
  if (chain.snapshot().windows) return "cp" + number + "win_amd64.pyd";
  return "cpython-" + number + chain.snapshot().system.architecture.value_or("x86_64") + "-linux-gnu.so";
}

// Extensions that the import loads for certain, small enough to be looked into.
std::vector<std::string> numpy_users(ChainBuilder& chain, const ImportResult& import) {
  std::vector<std::string> files;
  const auto& framework = chain.chain.framework;
  const auto tag = extension_tag(chain);
  const std::string ending = chain.snapshot().windows ? ".pyd" : ".so";
  if (framework == "tensorflow") files.push_back(join_path(import.folder, "python/util/_pywrap_checkpoint_reader" + ending));
  if (framework == "onnxruntime") {
    if (compare_versions(chain.chain.version, "1.19") < 0 || chain.chain.version.empty()) {
      // From 3.8 on the file name has the tag only in wheels that were made so; both spellings are seen.
      files.push_back(join_path(import.folder, "capi/onnxruntime_pybind11_state." + tag));
      files.push_back(join_path(import.folder, "capi/onnxruntime_pybind11_state" + ending));
    }
  }
  const auto knowledge = ImportKnowledge::of(framework, chain.chain.version);
  if (knowledge && knowledge->need("ml_dtypes") == ModuleNeed::hard) {
    const auto* package = provider_of(chain, "ml_dtypes");
    const auto folder = module_folder(chain, "ml_dtypes");
    if (!folder.empty() && (package == nullptr || compare_versions(package->version, "0.4") < 0)) {
      files.push_back(join_path(folder, "_ml_dtypes_ext." + tag));
      files.push_back(join_path(folder, "_custom_floats." + tag));   // its name before 0.3
    }
  }
  return files;
}

void judge_numpy(ChainBuilder& chain, const ImportResult& import) {
  std::string where;
  const auto numpy = numpy_version(chain, where);
  if (numpy.empty() || compare_versions(numpy, "2.0.0.dev0") < 0) return;
  for (const auto& file : numpy_users(chain, import)) {
    if (file_state(chain, file) == FactState::absent) continue;
    const auto abi = numpy_abi(chain, file);
    if (pending(chain, file)) chain.undetermined(LinkId::interpreter, Effect::import_fails, file + ": not read");
    if (abi != Abi::numpy1) continue;
    // Where the import itself asks for no NumPy, as in ONNX Runtime 1.16, it works, and so does a session.
    const auto knowledge = ImportKnowledge::of(chain.chain.framework, chain.chain.version);
    const bool at_import = !knowledge || knowledge->need("numpy") == ModuleNeed::hard;
    add_numpy(chain, numpy, where, file, "asks for numpy.core and does not know numpy._core", at_import);
    return;
  }
  // torch catches the failure and goes on without NumPy (torch 2.2 and older on Linux: shared facts pytorch.toml).
  if (chain.chain.framework == "pytorch" && compare_versions(chain.chain.version, "2.3") < 0) {
    add_numpy(chain, numpy, where, import.folder, "was built for NumPy 1; the import works, conversions to NumPy fail",
              false);
  }
}

void add_protobuf(ChainBuilder& chain, const PythonPackage& protobuf, bool old, const std::string& needs,
                  const std::string& file, const std::string& what) {
  auto& finding = chain.add(LinkId::interpreter, old ? "protobuf-too-old" : "protobuf-too-new", Effect::import_fails, Severity::error);
  set_args(finding, {{"protobuf", protobuf.version}, {"needs", "protobuf" + needs}});
  add_evidence(finding, "folder", protobuf.location, "protobuf " + protobuf.version);
  add_evidence(finding, "file", file, what);
  set_next_step(finding, "install-fitting-version", change_commands(chain, protobuf, {"protobuf" + needs}));
}

// Newer runtimes take older generated code; runtimes of 5.26 to 5.28 and 6.30 took only one major version older.
bool takes_older_major(ChainBuilder& chain, const PythonPackage& protobuf) {
  const auto path = join_path(protobuf.site, "google/protobuf/runtime_version.py");
  const auto* text = chain.text(path);
  return text == nullptr || text->find("Same major version is required") == std::string::npos;
}

// Whether code that a protobuf compiler generated works with the installed runtime. Every *_pb2.py of one wheel comes
// from one compiler, so one file speaks for all.
void judge_generated_code(ChainBuilder& chain, const PythonPackage* protobuf, const std::string& path) {
  if (protobuf == nullptr) return;
  const auto* text = chain.text(path);
  if (text == nullptr) {
    if (chain.text_state(path) == FactState::undetermined)
      chain.undetermined(LinkId::interpreter, Effect::import_fails, path + ": not read");
    return;
  }
  const auto& have = protobuf->version;
  if (const auto generated = generated_code_version(*text)) {
    const auto needs =
        std::to_string((*generated)[0]) + "." + std::to_string((*generated)[1]) + "." + std::to_string((*generated)[2]);
    const auto numbers = release_numbers(have);
    const auto major = numbers.empty() ? 0 : numbers[0];
    const auto* off = chain.variable("TEMPORARILY_DISABLE_PROTOBUF_VERSION_CHECK");
    const bool checked = off == nullptr || to_lower(*off) != "true";
    if (compare_versions(have, "5.26") < 0) {
      add_protobuf(chain, *protobuf, true, ">=" + needs, path,
                   "imports google.protobuf.runtime_version, which came with 5.26");
    } else if (checked && compare_versions(have, needs) < 0) {
      add_protobuf(chain, *protobuf, true, ">=" + needs, path,
                   "generated for protobuf " + needs + ", which raises under an older runtime");
    } else if (checked && major > (*generated)[0] + 1 && !takes_older_major(chain, *protobuf)) {
      add_protobuf(chain, *protobuf, false, ">=" + needs + ",<" + std::to_string((*generated)[0] + 2), path,
                   "generated for protobuf " + needs);
    }
    return;
  }
  if (text->find("builder as _builder") != std::string::npos) {
    if (compare_versions(have, "3.20") < 0) {
      add_protobuf(chain, *protobuf, true, ">=3.20.3", path,
                   "imports google.protobuf.internal.builder, which came with 3.20");
    }
    return;
  }
  // Code of before 3.19 makes its descriptors itself, which the C implementation refuses since 4.21.
  if (text->find("_descriptor.FieldDescriptor(") == std::string::npos) return;
  const auto* kind = chain.variable("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION");
  if (compare_versions(have, "4") >= 0 && (kind == nullptr || to_lower(*kind) != "python")) {
    add_protobuf(chain, *protobuf, false, "<4", path,
                 "was generated by a compiler older than 3.19 and creates its descriptors directly");
  }
}

// jax/_src/lib/__init__.py compares the numbers of the two versions, shorter ones first; no pre-release rules.
void judge_jaxlib(ChainBuilder& chain, const ImportResult& import) {
  const auto* jaxlib = provider_of(chain, "jaxlib");
  if (jaxlib == nullptr || import.folder.empty()) return;
  const auto path = join_path(import.folder, "version.py");
  const auto* text = chain.text(path);
  if (text == nullptr) {
    if (chain.text_state(path) == FactState::undetermined)
      chain.undetermined(LinkId::wheel, Effect::import_fails, path + ": not read");
    return;
  }
  const auto minimum = python_constant(*text, "_minimum_jaxlib_version");
  const auto own = chain.chain.version;
  const auto have = release_numbers(jaxlib->version);
  const bool old = !minimum.empty() && have < release_numbers(minimum);
  const bool fresh = !own.empty() && have > release_numbers(own);
  if (have.empty() || (!old && !fresh)) return;
  auto& finding = chain.add(LinkId::wheel, "jax-plugin-version-mismatch", Effect::import_fails, Severity::error);
  set_args(finding, {{"package", std::string("jax")}, {"version", own}, {"jaxlib", jaxlib->version}});
  add_evidence(finding, "folder", jaxlib->location, "jaxlib " + jaxlib->version);
  add_evidence(finding, "file", path,
               old ? "needs jaxlib " + minimum + " or newer" : "jax " + own + " refuses a newer jaxlib");
  set_next_step(finding, "install-fitting-version", change_commands(chain, *jaxlib, {"jax==" + own, "jaxlib==" + own}));
}

// jax/_src/dtypes.py: `if _ml_dtypes_version < (0, 5): raise`.
void judge_jax_dtypes(ChainBuilder& chain, const ImportResult& import) {
  const auto* package = provider_of(chain, "ml_dtypes");
  if (package == nullptr) return;
  const auto path = join_path(import.folder, "_src/dtypes.py");
  const auto* text = chain.text(path);
  if (text == nullptr) {
    if (chain.text_state(path) == FactState::undetermined)
      chain.undetermined(LinkId::interpreter, Effect::import_fails, path + ": not read");
    return;
  }
  constexpr std::string_view test = "_ml_dtypes_version < (";
  const auto at = text->find(test);
  if (at == std::string::npos) return;
  const auto inside = std::string_view(*text).substr(at + test.size(), 40);
  std::string needs;
  for (const auto part : split(inside.substr(0, inside.find(')')), ',')) {
    const auto number = to_integer(trim(part));
    if (number) needs += (needs.empty() ? "" : ".") + std::to_string(*number);
  }
  if (needs.empty() || release_numbers(package->version) >= release_numbers(needs)) return;
  auto& finding = chain.add(LinkId::interpreter, "ml-dtypes-conflict", Effect::import_fails, Severity::error);
  set_args(finding, {{"package", package->name}, {"version", package->version}, {"needs", "ml-dtypes>=" + needs}});
  add_evidence(finding, "folder", package->location, "ml_dtypes " + package->version);
  add_evidence(finding, "file", path, "raises below " + needs);
  set_next_step(finding, "install-fitting-version", change_commands(chain, *package, {"ml-dtypes>=" + needs}));
}

// torch takes names from typing_extensions as soon as its requirement allows them, so the lower bound in METADATA is
// real from 4.10 on (measured: 2.6.0 needs TypeIs of 4.10, 2.15.0 Format of 4.13, and says so). The bound of 4.8 before
// is not: 2.4.1 is imported with 4.5.0.
void judge_torch_typing(ChainBuilder& chain, const ImportResult& import) {
  const auto* package = provider_of(chain, "typing_extensions");
  if (package == nullptr || import.distribution == nullptr) return;
  for (const auto& line : import.distribution->requires_dist) {
    if (!line.starts_with("typing-extensions") && !line.starts_with("typing_extensions")) continue;
    const auto at = line.find(">=");
    if (at == std::string::npos || line.find(';') < at) continue;
    const auto digits = std::string_view(line).substr(at + 2);
    const auto needs = std::string(trim(digits.substr(0, digits.find_first_of(",; )"))));
    if (release_numbers(needs).empty() || compare_versions(package->version, needs) >= 0) continue;
    if (compare_versions(needs, "4.10") < 0) continue;
    auto& finding = chain.add(LinkId::interpreter, "ml-dtypes-conflict", Effect::import_fails, Severity::error,
                              Certainty::probable);
    set_args(finding,
             {{"package", package->name}, {"version", package->version}, {"needs", "typing-extensions>=" + needs}});
    add_evidence(finding, "folder", package->location, "typing_extensions " + package->version);
    add_evidence(finding, "file", join_path(import.distribution->location, "METADATA"), line);
    set_next_step(finding, "install-fitting-version", change_commands(chain, *package, {"typing-extensions>=" + needs}));
    return;
  }
}

void judge_measured_pins(ChainBuilder& chain) {
  for (const auto* pin :
       pins_of(chain.chain.framework, chain.chain.version, chain.environment().version.value_or(""))) {
    const auto* package = provider_of(chain, pin->package);
    if (package == nullptr || package->version.empty() || !version_within(package->version, pin->fails)) continue;
    if (!pin->when_package.empty()) {
      const auto* other = provider_of(chain, pin->when_package);
      if (other == nullptr || !version_within(other->version, pin->when)) continue;
    }
    auto& finding = chain.add(LinkId::interpreter, std::string(pin->finding), Effect::import_fails, Severity::error);
    const std::string needs(pin->needs);
    if (pin->finding == "keras-tf-version-mismatch") {
      const auto* tensorflow = chain.chain.framework == "tensorflow" ? chain.package(chain.chain.package) : package;
      const auto* keras = chain.chain.framework == "keras" ? chain.package(chain.chain.package) : package;
      set_args(finding, {{"keras", keras == nullptr ? std::string() : keras->version},
                         {"tensorflow", tensorflow == nullptr ? std::string() : tensorflow->version}});
    } else if (pin->finding == "numpy2-abi-break") {   // the table has only the other way round: built for NumPy 2
      set_args(finding, {{"framework", chain.chain.framework},
                         {"version", chain.chain.version},
                         {"numpy", package->version},
                         {"built", std::string("2")}});
    } else if (pin->finding == "no-wheel-for-python-version") {
      set_args(finding, {{"framework", package->name + " " + package->version},
                         {"python", python_label(chain.environment())}});
    } else {
      set_args(finding, {{"package", package->name}, {"version", package->version}, {"needs", needs}});
    }
    add_evidence(finding, "folder", package->location, package->name + " " + package->version);
    add_evidence(finding, "table", "python_pins.toml", std::string(pin->source));
    set_next_step(finding, "install-fitting-version", change_commands(chain, *package, {needs}));
  }
}

}  // namespace

std::optional<std::array<std::uint64_t, 3>> generated_code_version(std::string_view pb2_text) {
  constexpr std::string_view call = "ValidateProtobufRuntimeVersion(";
  const auto at = pb2_text.find(call);
  if (at == std::string_view::npos) return std::nullopt;
  const auto rest = pb2_text.substr(at + call.size(), 400);
  const auto parts = split(rest.substr(0, rest.find(')')), ',');
  if (parts.size() < 4) return std::nullopt;
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = to_integer(trim(parts[i + 1]));
    if (!number || *number < 0) return std::nullopt;
    numbers[i] = static_cast<std::uint64_t>(*number);
  }
  return numbers;
}

void judge_python_pins(ChainBuilder& chain, const FrameworkRule& rule, const ImportResult& import) {
  (void)rule;
  judge_numpy(chain, import);
  if (chain.chain.framework == "tensorflow" && !import.folder.empty()) {
    const auto* protobuf = provider_of(chain, "google.protobuf");
    judge_generated_code(chain, protobuf, join_path(import.folder, "core/framework/graph_pb2.py"));
    // TensorBoard may be missing; when it is there, the import runs its generated code too.
    const auto knowledge = ImportKnowledge::of("tensorflow", chain.chain.version);
    const auto tensorboard = module_folder(chain, "tensorboard");
    if (!tensorboard.empty() && knowledge && knowledge->need("tensorboard") == ModuleNeed::optional) {
      judge_generated_code(chain, protobuf, join_path(tensorboard, "compat/proto/graph_pb2.py"));
    }
  }
  if (chain.chain.framework == "jax") {
    judge_jaxlib(chain, import);
    judge_jax_dtypes(chain, import);
  }
  if (chain.chain.framework == "pytorch") judge_torch_typing(chain, import);
  judge_measured_pins(chain);
}

}  // namespace gpuway
