#include "think/explain/reason.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "think/explain/log_facts.h"

namespace gpuway {
namespace {

constexpr int kProof = 75;          // from this weight on a signature settles a cause
constexpr int kLead = 12;           // a competitor that is nearer than this leaves the matter open
constexpr int kHint = 40;           // weaker hints name no cause on their own
constexpr std::size_t kMostCauses = 6;
constexpr std::size_t kMostLines = 8;

struct Weighted {
  std::string cause;
  int weight = 0;
};

std::vector<Weighted> weights_of(std::string_view text) {
  std::vector<Weighted> out;
  if (text.empty()) return out;
  for (const auto part : split(text, '|')) {
    const auto space = part.find(' ');
    out.push_back({std::string(part.substr(0, space)), static_cast<int>(to_integer(part.substr(space + 1)).value_or(0))});
  }
  return out;
}

bool applies(const SignatureRow& signature, const std::map<std::string, LogFact>& facts) {
  if (signature.when.empty()) return true;
  const auto conditions = split(signature.when, '|');
  return std::all_of(conditions.begin(), conditions.end(), [&](std::string_view condition) { return holds(condition, facts); });
}

struct Case {
  double doubt = 1;        // product of what each signature leaves open
  int proof = 0;           // the strongest proof
  bool explained = false;  // by another cause
  std::vector<std::size_t> lines;
  std::vector<std::string> signatures;

  int weight() const {
    const auto all = static_cast<int>((1 - doubt) * 100);
    // Hints do not add up to a proof.
    const auto limit = proof >= kProof ? 99 : std::max(proof, kProof - 5);
    return std::max(1, std::min({all, limit, 99}) / (explained ? 3 : 1));
  }
  int rank() const { return explained ? weight() : std::max(weight(), proof); }
};

void merge_lines(std::vector<std::size_t>& into, const std::vector<std::size_t>& lines) {
  into.insert(into.end(), lines.begin(), lines.end());
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
  if (into.size() > kMostLines) into.resize(kMostLines);
}

// The one command that tells most of the likeliest causes apart; what the machine itself would answer when none is listed.
void ask(Explanation& explanation) {
  const auto system = explanation.facts.find("system");
  const bool windows = system != explanation.facts.end() && system->second.value == "windows";
  const QuestionRow* best = nullptr;
  int most = 0;
  for (const auto& question : question_rows()) {
    const auto told = split(question.causes, '|');
    int worth = 0;
    for (std::size_t i = 0; i < explanation.causes.size(); ++i) {
      if (std::find(told.begin(), told.end(), explanation.causes[i].id) != told.end()) worth += i < 2 ? 3 : 1;
    }
    if (worth > most) {
      most = worth;
      best = &question;
    }
  }
  if (best != nullptr) explanation.missing_facts.push_back({std::string(best->id), std::string(windows ? best->windows_command : best->linux_command)});
  if (best == nullptr || explanation.causes.empty()) explanation.missing_facts.push_back({"gpuway-check", "gpuway check"});
}

}  // namespace

void reason(const std::vector<Found>& found, Explanation& explanation) {
  std::map<std::string, Case> cases;
  std::map<std::string, int> explaining;   // cause -> the strongest proof among the signatures that account for it
  for (const auto& [signature, lines] : found) {
    if (!applies(*signature, explanation.facts)) continue;
    if (signature->harmless) {
      explanation.harmless.push_back({std::string(signature->id), lines});
      if (explanation.harmless.back().lines.size() > kMostLines) explanation.harmless.back().lines.resize(kMostLines);
    }
    int strongest = 0;
    const auto add = [&](std::string_view list, bool proves) {
      for (const auto& [cause, weight] : weights_of(list)) {
        auto& one = cases[cause];
        one.doubt *= 1 - weight / 100.0;
        if (proves) one.proof = std::max(one.proof, weight);
        strongest = std::max(strongest, weight);
        merge_lines(one.lines, lines);
        one.signatures.emplace_back(signature->id);
      }
    };
    add(signature->proves, true);
    add(signature->suggests, false);
    if (!signature->explains.empty()) {
      for (const auto cause : split(signature->explains, '|')) {
        auto& proof = explaining[std::string(cause)];
        proof = std::max(proof, strongest);
      }
    }
  }
  for (const auto& [cause, proof] : explaining) {
    const auto at = cases.find(cause);
    if (at != cases.end() && at->second.proof <= proof + 5) at->second.explained = true;
  }

  std::vector<std::pair<std::string, Case>> ranked(cases.begin(), cases.end());
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    const bool a_proven = a.second.proof >= kProof && !a.second.explained, b_proven = b.second.proof >= kProof && !b.second.explained;
    if (a_proven != b_proven) return a_proven;
    if (a.second.rank() != b.second.rank()) return a.second.rank() > b.second.rank();
    // The first fault is the likelier reason of the later ones.
    return std::pair(a.second.lines, a.first) < std::pair(b.second.lines, b.first);
  });
  if (!ranked.empty() && ranked[0].second.rank() < kHint) ranked.clear();
  if (ranked.size() > kMostCauses) ranked.resize(kMostCauses);
  for (const auto& [id, one] : ranked) {
    NamedCause cause;
    cause.id = id;
    cause.weight = one.weight();
    cause.certainty = one.proof >= kProof && !one.explained ? Certainty::proven : Certainty::probable;
    cause.lines = one.lines;
    cause.signatures = one.signatures;
    explanation.causes.push_back(std::move(cause));
  }
  if (explanation.causes.empty() || explanation.causes[0].certainty != Certainty::proven) {
    ask(explanation);
    return;
  }
  explanation.decided = explanation.causes.size() == 1 || explanation.causes[1].certainty != Certainty::proven ||
                        ranked[1].second.rank() + kLead <= ranked[0].second.rank();
  if (explanation.decided) return;
  // What is not settled is not called proven.
  for (auto& cause : explanation.causes) cause.certainty = Certainty::probable;
  ask(explanation);
}

}  // namespace gpuway
