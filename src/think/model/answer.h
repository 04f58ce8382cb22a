#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "think/model/fact.h"

namespace gpuway {

enum class Severity : std::uint8_t { error, warning, note };
enum class Certainty : std::uint8_t { proven, probable, undetermined };

/// One observed thing behind a finding.
struct Evidence {
  std::string source;  // file | variable | command | library-call | registry | table
  std::string where;   // path, name, command, symbol
  std::string what;    // what was seen there, in the words of the data (not a sentence of advice)
  bool operator==(const Evidence&) const = default;
};

/// What a person can do next; commands can be run as printed.
struct NextStep {
  std::string id;
  std::vector<std::string> commands;
  bool operator==(const NextStep&) const = default;
};

/// A value in a finding: text, number or list of texts. Sentences live in data/messages.
using FindingValue = std::variant<std::string, std::int64_t, std::vector<std::string>>;

/// One folder or rule of a loader search, for `--verbose`.
struct SearchedPlace {
  std::string rule;     // rpath | ld-library-path | runpath | cache | system | path | loaded
  std::string path;
  std::string outcome;  // not-there | chosen | wrong-class | wrong-machine | denied | not-looked | ...
  bool operator==(const SearchedPlace&) const = default;
};

struct Finding {
  std::string key;      // stable within one answer: id + number
  std::string id;       // kebab-case, vocabulary of data/tables/findings.toml
  Severity severity = Severity::note;
  Certainty certainty = Certainty::proven;
  int chain = -1;       // index into chains, -1 for the machine
  std::string distribution;   // of WSL, which it is about; empty: this machine itself
  std::map<std::string, FindingValue> args;
  std::vector<Evidence> evidence;
  std::vector<SearchedPlace> searched;  // all places considered, in order
  NextStep next_step;
};

enum class Verdict : std::uint8_t { yes, no, crashes, undetermined };
enum class LinkState : std::uint8_t { ok, broken, undetermined, not_reached };

struct ChainLink {
  std::string id;       // import wheel interpreter gpu-libraries driver-library driver-version device gpu-code
  LinkState state = LinkState::not_reached;
  std::vector<std::string> findings;  // keys
  std::vector<std::string> reasons;   // of an undetermined link: what could not be judged, and why
};

struct MissingLibrary {
  std::string library;    // the name that was not found, at any depth
  std::string asked_by;   // file name of the object that asked
  std::string how;        // needed | opened
  std::string effect;     // import-fails | no-gpu | process-dies | harmless
};

/// The answer for one framework in one environment.
struct Chain {
  std::string environment;  // id
  std::string distribution; // of WSL, which the environment lies in; empty: this machine itself
  std::string framework;    // tensorflow pytorch jax onnxruntime keras
  std::string package, version;
  std::string flavour = "undetermined";  // cuda cpu directml rocm xpu stub undetermined
  Verdict imports = Verdict::undetermined;
  Verdict sees_gpu = Verdict::undetermined;
  Verdict can_compute = Verdict::undetermined;
  std::optional<int> device_count;
  std::optional<std::string> cause;      // finding id of the first broken link
  std::vector<std::string> breaks_next;  // finding ids of later broken links
  std::vector<MissingLibrary> missing;
  std::vector<ChainLink> links;
  std::vector<std::string> findings;     // keys
};

/// A GPU of the machine, as far as anything tells: the driver first, the PCI bus for what it does not name.
struct MachineGpu {
  std::string name, vendor;           // vendor: nvidia amd intel other
  std::string compute_capability;     // "8.6" or empty
  std::uint64_t memory_bytes = 0;     // 0: not known
  bool visible = false;               // the driver of this process lists it
};

struct MachineSummary;

/// A distribution of WSL, as Windows has it.
struct MachineDistribution {
  std::string name, state;     // state: running, stopped, …, undetermined
  int version = 0;             // 1 or 2; 0: not known
  bool is_default = false;
  std::string not_looked;      // why nobody looked inside; empty: somebody did
  std::vector<MachineSummary> inside;   // one when it was looked into, none otherwise
};

/// WSL on a Windows machine.
struct MachineWsl {
  std::string state = "undetermined";   // installed | absent | undetermined
  std::string version;                  // of its package; empty when not known
  std::vector<MachineDistribution> distributions;
};

struct MachineSummary {
  std::string system, name, kind;
  std::vector<MachineGpu> gpus;
  std::string driver_state = "undetermined";   // ok | absent | broken | undetermined
  std::string driver_version, cuda_level;      // empty when not known
  std::optional<int> init_code;
  std::optional<MachineWsl> wsl;               // of a Windows machine that was looked at
};

/// The id of an environment in an answer that joins several machines: one inside a distribution of WSL begins with its name.
std::string environment_id(const std::string& distribution, const std::string& id);

/// Everything `check` answers.
struct Answer {
  MachineSummary machine;
  std::vector<Chain> chains;
  std::vector<Finding> findings;
};

std::string_view to_word(Severity value);
std::string_view to_word(Certainty value);
std::string_view to_word(Verdict value);
std::string_view to_word(LinkState value);

}  // namespace gpuway
