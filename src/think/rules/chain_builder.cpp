#include "think/rules/chain_builder.h"

#include <algorithm>

#include "base/path.h"

namespace gpuway {
namespace {

bool takes_import(Effect effect) { return effect == Effect::import_fails; }
bool kills(Effect effect) { return effect >= Effect::process_dies; }
bool kills_import(Effect effect) { return effect == Effect::import_dies; }

bool breaks(Effect effect) { return effect != Effect::harmless; }

// Whether every driver library that was asked (there may be none) answered that there is no device, and nothing else.
bool driver_is_quiet(const Snapshot& snapshot) {
  return std::all_of(snapshot.driver.reports.begin(), snapshot.driver.reports.end(), [](const auto& row) {
    const DriverReport& report = row.second;
    return report.outcome == DriverReport::Outcome::finished && (report.init_code == 100 /* CUDA_ERROR_NO_DEVICE */ || report.init_code == 0);
  });
}

}  // namespace

std::string_view to_word(LinkId id) {
  switch (id) {
    case LinkId::import: return "import";
    case LinkId::wheel: return "wheel";
    case LinkId::interpreter: return "interpreter";
    case LinkId::gpu_libraries: return "gpu-libraries";
    case LinkId::driver_library: return "driver-library";
    case LinkId::driver_version: return "driver-version";
    case LinkId::device: return "device";
    case LinkId::gpu_code: break;
  }
  return "gpu-code";
}

ChainBuilder::ChainBuilder(const Snapshot& snapshot, const PythonEnvironment& environment, std::string framework,
                           Wants& wants)
    : snapshot_(snapshot), environment_(environment), wants_(wants) {
  chain.environment = environment.id;
  chain.framework = std::move(framework);
}

const ImportCandidate* ChainBuilder::import_of(std::string_view module) const {
  // A folder without __init__.py is only a portion of a namespace package: a regular module anywhere later wins.
  const ImportCandidate* portion = nullptr;
  for (const auto& candidate : environment_.imports) {
    if (candidate.module != module) continue;
    if (candidate.kind != ImportCandidate::Kind::namespace_folder) return &candidate;
    if (portion == nullptr) portion = &candidate;
  }
  return portion;
}

std::vector<const PythonPackage*> ChainBuilder::packages(std::string_view name) const {
  std::vector<const PythonPackage*> found;
  for (const auto& package : environment_.packages) {
    if (package.name == name) found.push_back(&package);
  }
  return found;
}

const PythonPackage* ChainBuilder::package(std::string_view name) const {
  for (const auto& package : environment_.packages) {
    if (package.name == name) return &package;
  }
  return nullptr;
}

const std::string* ChainBuilder::text(const std::string& path) const {
  const auto found = snapshot_.texts.find(path);
  if (found == snapshot_.texts.end()) {
    wants_.texts.emplace(path, true);
    return nullptr;
  }
  return found->second.is_known() ? &*found->second.value : nullptr;
}

FactState ChainBuilder::text_state(const std::string& path) const {
  const auto found = snapshot_.texts.find(path);
  if (found == snapshot_.texts.end()) {
    wants_.texts.emplace(path, true);
    return FactState::undetermined;
  }
  return found->second.state;
}

const std::string* ChainBuilder::variable(std::string_view name) const {
  const auto found = snapshot_.variables.find(std::string(name));
  return found == snapshot_.variables.end() ? nullptr : &found->second;
}

Finding& ChainBuilder::add(LinkId link, std::string id, Effect effect, Severity severity, Certainty certainty) {
  Finding finding;
  finding.id = std::move(id);
  finding.severity = severity;
  finding.certainty = certainty;
  entries_.push_back({link, effect, std::move(finding)});
  return entries_.back().finding;
}

void ChainBuilder::undetermined(LinkId link, Effect would_take, std::string reason) {
  doubts_.push_back({link, would_take, std::move(reason)});
}

void ChainBuilder::missing(const std::string& library, const std::string& asked_by, bool needed, Effect effect) {
  MissingLibrary row{std::string(file_name(library)), std::string(file_name(asked_by)), needed ? "needed" : "opened", "harmless"};
  if (effect == Effect::import_fails) row.effect = "import-fails";
  if (kills(effect)) row.effect = "process-dies";
  if (effect == Effect::no_gpu) row.effect = "no-gpu";
  if (effect == Effect::no_compute) row.effect = "no-compute";
  const auto same = [&](const MissingLibrary& other) {
    return other.library == row.library && other.asked_by == row.asked_by;
  };
  const auto known = std::find_if(chain.missing.begin(), chain.missing.end(), same);
  if (known == chain.missing.end()) {
    chain.missing.push_back(std::move(row));
  } else if (known->effect == "harmless") {
    *known = std::move(row);
  }
}

bool ChainBuilder::broken(Effect at_least) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.effect >= at_least; });
}

bool ChainBuilder::takes_gpu(std::string_view id) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.finding.id == id && entry.effect >= Effect::no_gpu; });
}

void ChainBuilder::deepen(std::string_view id, Effect effect) {
  for (auto& entry : entries_) {
    if (entry.finding.id == id && entry.effect >= Effect::no_gpu) entry.effect = std::max(entry.effect, effect);
  }
}

void ChainBuilder::settle_without_gpu(const Evidence& evidence) {
  if (!cuda_expected) return;
  // Whatever stops the import: libraries that only a GPU would need are no error on a machine without one.
  for (auto& entry : entries_) {
    if (entry.effect >= Effect::import_fails) continue;
    if (entry.link >= LinkId::gpu_libraries) entry.finding.severity = Severity::note;
    // What a package does to a GPU matters as soon as the environment is used where there is one.
    else if (entry.finding.severity == Severity::error) entry.finding.severity = Severity::warning;
  }
  if (broken(Effect::import_fails)) return;
  const bool told = std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.finding.id == "no-nvidia-gpu"; });
  if (!told) {
    auto& finding = add(LinkId::device, "no-nvidia-gpu", Effect::no_gpu, Severity::note);
    set_args(finding, {{"framework", chain.framework}, {"version", chain.version}});
    finding.evidence.push_back(evidence);
    set_next_step(finding, "look-for-gpu", {"lspci -nn -d 10de:"});
  }
  // What is wrong with the driver and its devices only follows from that, unless the driver itself misbehaves; a library
  // that is missing would break next.
  if (driver_is_quiet(snapshot_)) std::erase_if(entries_, [](const Entry& entry) {
    const bool of_driver = entry.link == LinkId::driver_library || entry.link == LinkId::driver_version || entry.link == LinkId::device;
    return of_driver && entry.effect < Effect::import_fails && entry.finding.id != "no-nvidia-gpu";
  });
  without_gpu_ = true;
}

Chain ChainBuilder::finish(int index, std::vector<Finding>& findings) {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.link < b.link; });
  const auto any_entry = [&](auto&& test) {
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.finding.certainty != Certainty::undetermined && test(entry.effect);
    });
  };
  const auto any_doubt = [&](auto&& test) {
    return std::any_of(doubts_.begin(), doubts_.end(), [&](const Doubt& doubt) { return test(doubt.effect); }) ||
           std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
             return entry.finding.certainty == Certainty::undetermined && test(entry.effect);
           });
  };
  const auto at_import = [](Effect e) { return takes_import(e); };

  // ---- the three answers
  const bool dies = any_entry(kills);
  if (any_entry(at_import)) {
    chain.imports = Verdict::no;
  } else if (any_entry(kills_import)) {
    chain.imports = Verdict::crashes;
  } else {
    const bool doubtful = any_doubt(at_import) || any_doubt(kills_import);
    chain.imports = doubtful ? Verdict::undetermined : Verdict::yes;
  }

  const bool never_gpu = chain.flavour == "cpu" || chain.flavour == "stub";
  const auto takes_gpu = [](Effect e) { return e >= Effect::no_gpu; };
  if (chain.imports == Verdict::crashes) {
    chain.sees_gpu = Verdict::crashes;
  } else if (chain.imports == Verdict::no) {
    chain.sees_gpu = Verdict::no;
  } else if (dies) {
    chain.sees_gpu = Verdict::crashes;
  } else if (never_gpu) {
    chain.sees_gpu = Verdict::no;
  } else if (any_entry(takes_gpu)) {
    chain.sees_gpu = Verdict::no;
  } else if (any_doubt(takes_gpu) || chain.imports == Verdict::undetermined || !cuda_expected) {
    chain.sees_gpu = Verdict::undetermined;
  } else {
    chain.sees_gpu = Verdict::yes;
  }

  if (chain.sees_gpu == Verdict::no || chain.sees_gpu == Verdict::crashes || any_entry(breaks)) {
    chain.can_compute = Verdict::no;
  } else if (chain.sees_gpu == Verdict::undetermined || any_doubt(breaks)) {
    chain.can_compute = Verdict::undetermined;
  } else {
    chain.can_compute = Verdict::yes;
  }
  if (chain.sees_gpu == Verdict::no) chain.device_count = 0;
  if (chain.sees_gpu == Verdict::undetermined || chain.sees_gpu == Verdict::crashes) chain.device_count.reset();

  // ---- links and cause
  bool reached = true;
  for (const auto id : kLinks) {
    ChainLink link;
    link.id = to_word(id);
    bool broken_here = false;
    for (auto& entry : entries_) {
      if (entry.link != id) continue;
      auto& finding = entry.finding;
      finding.chain = index;
      finding.key = finding.id + "#" + std::to_string(findings.size());
      if (breaks(entry.effect) && finding.certainty != Certainty::undetermined) {
        broken_here = true;
        if (!chain.cause) {
          chain.cause = finding.id;
        } else if (finding.id != *chain.cause &&
                   std::find(chain.breaks_next.begin(), chain.breaks_next.end(), finding.id) ==
                       chain.breaks_next.end()) {
          chain.breaks_next.push_back(finding.id);
        }
      }
      link.findings.push_back(finding.key);
      chain.findings.push_back(finding.key);
      findings.push_back(std::move(finding));
    }
    const bool doubtful = std::any_of(doubts_.begin(), doubts_.end(), [&](const Doubt& d) { return d.link == id; });
    const bool gpu_link = id >= LinkId::gpu_libraries;
    if (broken_here) {
      link.state = LinkState::broken;
    } else if (gpu_link && !cuda_expected) {
      link.state = LinkState::not_reached;
    } else if (doubtful) {
      link.state = LinkState::undetermined;
      for (const auto& doubt : doubts_) {
        const bool known = std::find(link.reasons.begin(), link.reasons.end(), doubt.reason) != link.reasons.end();
        if (doubt.link == id && !known) link.reasons.push_back(doubt.reason);
      }
    } else {
      link.state = reached ? LinkState::ok : LinkState::not_reached;
    }
    if (broken_here && id <= LinkId::interpreter) reached = false;
    chain.links.push_back(std::move(link));
  }
  if (without_gpu_ && chain.cause && *chain.cause != "no-nvidia-gpu") {
    std::stable_partition(chain.findings.begin(), chain.findings.end(),
                          [](const std::string& key) { return key.starts_with("no-nvidia-gpu#"); });
    std::erase(chain.breaks_next, "no-nvidia-gpu");
    chain.breaks_next.insert(chain.breaks_next.begin(), *chain.cause);
    chain.cause = "no-nvidia-gpu";
  }
  return std::move(chain);
}

void set_args(Finding& finding, std::initializer_list<std::pair<const char*, FindingValue>> args) {
  for (const auto& [name, value] : args) finding.args[name] = value;
}

void add_evidence(Finding& finding, std::string source, std::string where, std::string what) {
  finding.evidence.push_back({std::move(source), std::move(where), std::move(what)});
}

void set_next_step(Finding& finding, std::string id, std::vector<std::string> commands) {
  finding.next_step = {std::move(id), std::move(commands)};
}

}  // namespace gpuway
