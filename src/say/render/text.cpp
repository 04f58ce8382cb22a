#include "say/render/text.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "say/render/columns.h"

namespace gpuway {
namespace {

enum class Colour : unsigned char { red, yellow, green, cyan, bold };

const char* code_of(Colour colour) {
  switch (colour) {
    case Colour::red: return "31";
    case Colour::yellow: return "33";
    case Colour::green: return "32";
    case Colour::cyan: return "36";
    case Colour::bold: break;
  }
  return "1";
}

constexpr std::size_t kLabel = 10;   // columns of the label column of a finding

class TextWriter {
 public:
  TextWriter(const Answer& answer, const Snapshot& snapshot, const Messages& messages, const TextOptions& options)
      : answer_(answer), snapshot_(snapshot), messages_(messages), options_(options) {}

  std::string write() {
    machine(answer_.machine, snapshot_);
    machine_findings("");
    environments(snapshot_, "");
    distributions();
    summary();
    best_route();
    return std::move(out_);
  }

 private:
  std::string paint(std::string text, Colour colour) const {
    if (!options_.colour) return text;
    return std::string("\x1b[") + code_of(colour) + "m" + text + "\x1b[0m";
  }

  std::string comma() const { return messages_.word("comma"); }

  // The text of a word of the data; the word itself when there is none.
  std::string word_or(const std::string& start, const std::string& word) const {
    const auto text = messages_.word(start + word);
    return text == start + word ? printable(word) : text;
  }

  void line(const std::string& text) { out_ += text + "\n"; }

  // Prose behind a label, continued below itself.
  void labelled(const std::string& label, const std::string& text, std::size_t indent, bool hint = false) {
    const auto width = options_.width > indent + kLabel + 20 ? options_.width - indent - kLabel : 20;
    std::string head(indent, ' ');
    head += hint ? paint(label, Colour::cyan) : label;
    const auto used = columns_of(label);
    head += std::string(used < kLabel ? kLabel - used : 1, ' ');
    bool first = true;
    for (const auto& part : wrap(text, width)) {
      out_ += (first ? head : std::string(indent + kLabel, ' ')) + part + "\n";
      first = false;
    }
  }

  // A path or command behind a label; never broken.
  void exact(const std::string& label, const std::string& text, std::size_t indent) {
    const auto used = columns_of(label);
    out_ += std::string(indent, ' ') + label + std::string(used < kLabel ? kLabel - used : 1, ' ') + text + "\n";
  }

  void environments(const Snapshot& snapshot, const std::string& distribution) {
    std::size_t without = 0;
    for (const auto& environment : snapshot.environments) {
      if (!write_environment(environment, environment_id(distribution, environment.id))) ++without;
    }
    if (snapshot.environments.empty()) {
      line(messages_.word("no-environments"));
    } else if (without == snapshot.environments.size()) {
      line(messages_.word("no-frameworks", {{"count", static_cast<std::int64_t>(without)}}));
    } else if (without > 0 && !options_.all) {
      line(messages_.word("without-framework", {{"count", static_cast<std::int64_t>(without)}}));
    }
  }

  // What is about the machine, not about a framework on it.
  void machine_findings(const std::string& distribution) {
    bool told = false;
    for (const auto& finding : answer_.findings) {
      if (finding.chain >= 0 || finding.distribution != distribution) continue;
      const auto before = out_.size();
      write_finding(finding);
      told = told || out_.size() > before;
    }
    if (told) line("");
  }

  // What was seen inside of WSL, each distribution like a machine of its own; and which of them nobody looked into.
  void distributions() {
    if (!snapshot_.wsl || !answer_.machine.wsl) return;
    const auto& rows = answer_.machine.wsl->distributions;
    for (std::size_t i = 0; i < rows.size() && i < snapshot_.wsl->distributions.size(); ++i) {
      if (rows[i].inside.empty()) continue;
      line("");
      line(paint(messages_.word("wsl-inside", {{"name", rows[i].name}}), Colour::bold));
      machine(rows[i].inside.front(), snapshot_.wsl->distributions[i].inside.front());
      machine_findings(rows[i].name);
      environments(snapshot_.wsl->distributions[i].inside.front(), rows[i].name);
    }
    std::size_t told = 0;
    for (const auto& row : rows) {
      // WSL 1 has no GPU, and nobody's Python is in what a container program keeps for itself.
      if (row.not_looked.empty() || row.not_looked == "wsl-1" || row.not_looked == "not-for-people") continue;
      if (told++ == 0) line("");
      line(messages_.word("wsl-not-looked", {{"name", row.name}, {"why", word_or("wsl-why-", row.not_looked)}}));
    }
    const bool looked = std::any_of(rows.begin(), rows.end(), [](const MachineDistribution& row) { return !row.inside.empty(); });
    if (looked || told > 0) line("");
  }

  // Equal GPUs one behind the other are counted: servers have eight of a kind.
  std::string gpu_list(const MachineSummary& machine) {
    std::vector<std::pair<std::string, int>> kinds;
    for (const auto& gpu : machine.gpus) {
      auto text = printable(gpu.name);
      if (!gpu.compute_capability.empty()) text += comma() + messages_.word("compute-capability", {{"cc", gpu.compute_capability}});
      if (gpu.memory_bytes > 0) text += comma() + std::to_string((gpu.memory_bytes + (std::uint64_t{1} << 29)) >> 30) + " GiB";
      if (kinds.empty() || kinds.back().first != text) kinds.emplace_back(std::move(text), 0);
      ++kinds.back().second;
    }
    std::string out;
    for (const auto& [text, count] : kinds) out += (out.empty() ? "" : "; ") + (count > 1 ? std::to_string(count) + " × " : "") + text;
    return out;
  }

  std::string wsl_list(const MachineWsl& wsl) {
    if (wsl.state == "absent") return messages_.word("wsl-absent");
    std::string out;
    for (const auto& row : wsl.distributions) {
      std::string facts = row.version == 0 ? std::string() : "WSL " + std::to_string(row.version);
      if (row.state != "undetermined") facts += (facts.empty() ? "" : comma()) + word_or("wsl-state-", row.state);
      if (row.is_default) facts += (facts.empty() ? "" : comma()) + messages_.word("wsl-default");
      out += (out.empty() ? "" : "; ") + messages_.word("wsl-distribution", {{"name", row.name}, {"facts", facts}});
    }
    return out.empty() ? messages_.word("wsl-empty") : out;
  }

  void machine(const MachineSummary& machine, const Snapshot& snapshot) {
    auto name = printable(machine.name.empty() ? machine.system : machine.name);
    if (machine.kind != "undetermined") name += comma() + word_or("kind-", machine.kind);
    exact(messages_.word("machine"), name, 0);
    const auto gpus = gpu_list(machine);
    // An unpacked image has no bus, which says nothing of the machine that it will run on.
    const bool buses_seen = snapshot.pci_gpus.is_known() || (snapshot.live && snapshot.pci_gpus.is_absent());
    labelled(messages_.word("gpus"), gpus.empty() ? messages_.word(buses_seen ? "none" : "undetermined") : gpus, 0);
    std::string driver = machine.driver_state == "absent" ? messages_.word("none") : machine.driver_state == "undetermined" ? messages_.word("undetermined") : "";
    if (!machine.driver_version.empty()) driver += (driver.empty() ? "" : comma()) + printable(machine.driver_version);
    if (!machine.cuda_level.empty()) driver += (driver.empty() ? "" : comma()) + "CUDA " + machine.cuda_level;
    if (machine.driver_state == "broken" && machine.init_code) driver += (driver.empty() ? "" : comma()) + "cuInit " + std::to_string(*machine.init_code);
    exact(messages_.word("driver"), driver, 0);
    if (machine.wsl && machine.wsl->state != "undetermined") labelled("WSL", wsl_list(*machine.wsl), 0);
    line("");
  }

  const Finding* finding(const std::string& key) const {
    const auto found = std::find_if(answer_.findings.begin(), answer_.findings.end(), [&](const Finding& f) { return f.key == key; });
    return found == answer_.findings.end() ? nullptr : &*found;
  }

  std::string verdict(Verdict value) const {
    auto text = messages_.word(value == Verdict::undetermined ? "undetermined" : to_word(value));
    if (value == Verdict::yes) return paint(text, Colour::green);
    if (value == Verdict::undetermined) return paint(text, Colour::yellow);
    return text;
  }

  bool write_environment(const PythonEnvironment& environment, const std::string& id) {
    std::vector<const Chain*> chains;
    for (const auto& chain : answer_.chains) {
      if (chain.environment == id) chains.push_back(&chain);
    }
    if (chains.empty() && !options_.all) return false;
    auto facts = printable(environment.kind);
    if (environment.version.is_known()) facts += comma() + "Python " + printable(python_label(environment));
    if (environment.externally_managed) facts += comma() + messages_.word("externally-managed");
    if (environment.active) facts += comma() + messages_.word("active");
    const auto head = messages_.word("environment", {{"path", shown_path(environment.path)}, {"facts", facts}});
    line(paint(head, Colour::bold));
    for (const auto* chain : chains) write_chain(*chain);
    if (options_.verbose) {
      for (const auto& problem : environment.problems) labelled(messages_.word("note"), printable(problem), 2);
    }
    line("");
    return !chains.empty();
  }

  void write_chain(const Chain& chain) {
    auto name = chain.framework;
    if (!chain.version.empty()) name += " " + printable(chain.version);
    if (!chain.package.empty() && chain.package != chain.framework) name += " [" + printable(chain.package) + "]";
    auto sees = verdict(chain.sees_gpu);
    if (chain.device_count && *chain.device_count > 1) sees += " (" + std::to_string(*chain.device_count) + ")";
    auto verdicts = messages_.word("verdicts");
    put(verdicts, "{imports}", verdict(chain.imports));
    put(verdicts, "{sees}", sees);
    put(verdicts, "{compute}", verdict(chain.can_compute));
    put(verdicts, "{name}", name);   // last: a name may hold anything
    line("  " + verdicts);
    write_doubts(chain);
    const Chain* teller = nullptr;
    for (const auto& key : chain.findings) {
      const auto* found = finding(key);
      if (found == nullptr) continue;
      const auto* owner = found->chain < 0 ? &chain : &answer_.chains[static_cast<std::size_t>(found->chain)];
      if (owner == &chain) {
        write_finding(*found);
      } else if (teller == nullptr) {   // Keras and its backend: not told twice
        teller = owner;
        line("    " + messages_.word("same-cause", {{"framework", owner->framework}}));
      }
    }
  }

  static void put(std::string& text, std::string_view name, const std::string& value) {
    if (const auto at = text.find(name); at != std::string::npos) text.replace(at, name.size(), value);
  }

  // Why an answer is not known: the links that could not be judged.
  void write_doubts(const Chain& chain) {
    const auto open = [](Verdict value) { return value == Verdict::undetermined; };
    if (!open(chain.imports) && !open(chain.sees_gpu) && !open(chain.can_compute)) return;
    constexpr std::size_t shown = 3;
    for (const auto& link : chain.links) {
      if (link.state != LinkState::undetermined || link.reasons.empty()) continue;
      line("    " + paint(messages_.word("not-settled", {{"link", messages_.word("link-" + link.id)}}), Colour::yellow));
      const auto count = options_.verbose ? link.reasons.size() : std::min(link.reasons.size(), shown);
      for (std::size_t i = 0; i < count; ++i) line("      " + printable(link.reasons[i]));
      more(link.reasons.size() - count, 6);
    }
  }

  void more(std::size_t count, std::size_t indent) {
    if (count > 0) line(std::string(indent, ' ') + messages_.word("evidence-more", {{"count", static_cast<std::int64_t>(count)}}));
  }

  // "error[id]: what is", continued below itself.
  void write_title(const Finding& finding, const std::string& title) {
    const auto colour = finding.severity == Severity::error ? Colour::red : finding.severity == Severity::warning ? Colour::yellow : Colour::cyan;
    const bool sure = finding.certainty == Certainty::proven;
    const auto head = messages_.word(sure ? "head" : "head-unsure",
                                     {{"severity", messages_.word(to_word(finding.severity))},
                                      {"id", finding.id},
                                      {"certainty", sure ? "" : messages_.word("certainty-" + std::string(to_word(finding.certainty)))}});
    const auto colon = messages_.word("colon");
    const auto width = options_.width > 36 ? options_.width - 6 : 30;
    const auto used = columns_of(head) + columns_of(colon) - 2;
    const auto lines = wrap(title, width, width > used ? width - used : 0);
    out_ += "    " + paint(head, colour) + (lines.empty() || lines.front().empty() ? colon.substr(0, colon.find(' ')) : colon);
    for (std::size_t i = 0; i < lines.size(); ++i) out_ += (i == 0 ? "" : "      ") + lines[i] + "\n";
    if (lines.empty()) out_ += "\n";
  }

  void write_finding(const Finding& finding) {
    if (options_.quiet && finding.severity == Severity::note) return;
    const auto* text = messages_.finding(finding.id);
    auto args = finding.args;
    for (auto& [name, value] : args) {
      if (auto* plain = std::get_if<std::string>(&value)) *plain = messages_.phrase(*plain);
    }
    std::string title = text != nullptr ? Messages::fill(text->title, args) : finding.id;
    if (text == nullptr) {
      for (const auto& [name, value] : args) title += " " + name + "=" + printable(to_text(value));
    }
    write_title(finding, title);
    // What is odd but harms nothing is worth a line, not a page.
    if (finding.severity == Severity::note && !options_.verbose) return;
    write_evidence(finding);
    write_searched(finding);
    if (text != nullptr && !text->note.empty()) labelled(messages_.word("note"), Messages::fill(text->note, args), 6);
    const auto& step = finding.next_step;
    if (!step.id.empty()) labelled(messages_.word("help"), messages_.next_step(step.id), 6, true);
    for (const auto& command : step.commands) out_ += std::string(6 + kLabel + 4, ' ') + printable(command) + "\n";
  }

  // Where and what, one a line. The output of a program keeps its lines.
  void write_evidence(const Finding& finding) {
    constexpr std::size_t shown = 12;
    std::vector<std::string> lines;
    for (const auto& row : finding.evidence) {
      const auto parts = split(row.what, '\n');
      if (row.source == "table") {   // not a file of this machine
        lines.push_back(messages_.word("known-table", {{"table", printable(row.where)}}) + ": " + printable(messages_.phrase(row.what)));
        continue;
      }
      if (parts.size() < 2) {
        lines.push_back(printable(row.where) + ": " + printable(messages_.phrase(row.what)));
        continue;
      }
      lines.push_back(printable(row.where) + ":");
      for (const auto part : parts) {
        if (!trim(part).empty()) lines.push_back("  " + printable(part));
      }
    }
    const auto count = options_.verbose || lines.size() == shown + 1 ? lines.size() : std::min(lines.size(), shown);
    for (std::size_t i = 0; i < count; ++i) exact(i == 0 ? messages_.word("evidence") : "", lines[i], 6);
    more(lines.size() - count, 6 + kLabel);
  }

  void write_searched(const Finding& finding) {
    if (finding.searched.empty()) return;
    const auto label = messages_.word("searched");
    if (!options_.verbose) {
      labelled(label, messages_.word("places", {{"count", static_cast<std::int64_t>(finding.searched.size())}}), 6);
      return;
    }
    const auto digits = std::to_string(finding.searched.size()).size();
    std::size_t number = 0;
    for (const auto& place : finding.searched) {
      auto count = std::to_string(++number);
      count.insert(0, digits - count.size(), ' ');
      exact(number == 1 ? label : "", count + "  [" + printable(place.rule) + "] " + printable(place.path) + ": " + word_or("place-", place.outcome), 6);
    }
  }

  void summary() {
    std::int64_t errors = 0, warnings = 0, notes = 0;
    for (const auto& finding : answer_.findings) {
      errors += finding.severity == Severity::error ? 1 : 0;
      warnings += finding.severity == Severity::warning ? 1 : 0;
      notes += finding.severity == Severity::note ? 1 : 0;
    }
    if (errors + warnings == 0) {
      line(messages_.word("all-well"));
    } else {
      line(messages_.word("summary", {{"errors", errors}, {"warnings", warnings}, {"notes", notes}}));
    }
  }

  // What to do instead, when mending what is there is not the way.
  void best_route() {
    const auto* route = options_.best_route;
    if (route == nullptr) return;
    std::string stack;
    for (const auto& one : route->install) stack += (stack.empty() ? "" : " ") + one;
    line("");
    line(messages_.word("best-route", {{"framework", route->framework}, {"route", messages_.word("route-" + route->id)}, {"stack", stack}}));
    line(messages_.word("best-route-more", {{"id", route->id}}));
  }

  const Answer& answer_;
  const Snapshot& snapshot_;
  const Messages& messages_;
  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string render_check_text(const Answer& answer, const Snapshot& snapshot, const Messages& messages,
                              const TextOptions& options) {
  return TextWriter(answer, snapshot, messages, options).write();
}

}  // namespace gpuway
