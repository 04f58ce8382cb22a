#include "think/explain/explain.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "think/explain/log_facts.h"
#include "think/explain/log_text.h"
#include "think/explain/matcher.h"
#include "think/explain/reason.h"
#include "think/explain/signatures.h"

namespace gpuway {
namespace {

constexpr std::size_t kBeside = 240;       // bytes before and after a literal in which values are looked for
constexpr std::size_t kMostFinds = 6;      // of one signature that are kept as evidence
constexpr std::size_t kKeptLines = 8;
constexpr std::size_t kShownBytes = 400;   // of a line

std::vector<std::string_view> texts_of_literals() {
  std::vector<std::string_view> texts;
  for (const auto& row : literal_rows()) texts.push_back(row.text);
  return texts;
}

bool is_library_of(std::string_view list, std::string_view name) {
  if (name.starts_with("lib")) name.remove_prefix(3);
  const auto beginnings = split(list, '|');
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view one) { return name.starts_with(one); });
}

}  // namespace

struct LogReader::State {
  // Where a literal was last seen.
  struct Seen {
    bool any = false;
    std::size_t first_line = 0, last_line = 0;
  };
  // A row whose value may go on in the next line.
  struct Open {
    std::size_t row = 0;
    std::string before, after;
    std::vector<std::size_t> lines;
  };
  struct KeptLine {
    std::size_t number = 0;
    std::string text;
  };

  State() : text([this](const LogText::Line& line) { add_line(line); }), matcher(texts_of_literals()), seen(literal_rows().size()), finds(signature_rows().size()) {}

  void add_line(const LogText::Line& line) {
    auto& place = kept[kept_next++ % kKeptLines];
    place.number = line.number;
    place.text.assign(line.text.substr(0, kShownBytes));
    if (!open.empty()) {
      for (auto& one : open) one.after += "\n" + std::string(line.text.substr(0, kBeside));
      for (const auto& one : std::exchange(open, {})) close(one);
    }
    matcher.add_line(line.number, line.starts, line.text, on_hit);
  }

  void add_hit(const Matcher::Hit& hit) {
    seen[hit.literal] = {true, hit.first_line, hit.last_line};
    for (const auto row : rows_using(literal_rows()[hit.literal])) {
      const bool is_signature = row < signature_rows().size();
      std::vector<std::size_t> lines;
      if (is_signature && !is_complete(signature_rows()[row], hit.last_line, lines)) continue;
      if (!is_signature) lines = {hit.first_line};
      const bool has_value = is_signature ? !signature_rows()[row].library.empty() : !fact_rows()[row - signature_rows().size()].capture.empty();
      if (!has_value) {
        close({row, {}, {}, std::move(lines)});
        continue;
      }
      Open one{row, {}, std::string(hit.around.substr(hit.end, kBeside)), std::move(lines)};
      const auto begin = hit.begin > kBeside ? hit.begin - kBeside : 0;
      one.before = hit.around.substr(begin, hit.begin - begin);
      open.push_back(std::move(one));
    }
  }

  // Whether all that the signature wants has been seen near `line`; its lines.
  bool is_complete(const SignatureRow& signature, std::size_t line, std::vector<std::size_t>& lines) const {
    const auto is_near = [&](std::size_t literal) {
      const auto& where = seen[literal];
      return where.any && where.last_line + signature.near >= line;
    };
    const auto take = [&](std::size_t literal) {
      for (auto at = seen[literal].first_line; at <= seen[literal].last_line; ++at) lines.push_back(at);
    };
    for (const auto literal : literals_of(signature.all)) {
      if (!is_near(literal)) return false;
      take(literal);
    }
    if (signature.any.count > 0) {
      bool one = false;
      for (const auto literal : literals_of(signature.any)) {
        if (!is_near(literal)) continue;
        one = true;
        take(literal);
      }
      if (!one) return false;
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return true;
  }

  void close(const Open& one) {
    if (one.row >= signature_rows().size()) {
      add_fact(fact_rows()[one.row - signature_rows().size()], one);
      return;
    }
    const auto& signature = signature_rows()[one.row];
    if (!signature.library.empty()) {
      const auto name = library_in(one.before, one.after);
      if (name.empty() || !is_library_of(signature.library, name)) return;
      facts.add_missing_library(name, one.lines[0]);
      // dlerror names the file that is really absent: the library asked for, or one that it needs.
      auto flat = one.after;
      std::erase(flat, '\n');
      const auto told = flat.find("dlerror:");
      if (told != std::string::npos && (flat.find("cannot open", told) != std::string::npos || flat.find("cannotopen", told) != std::string::npos)) {
        const auto absent = library_in({}, std::string_view(flat).substr(told + 8));
        if (!absent.empty() && absent != name) facts.add("dependency-named", absent, one.lines[0]);
      }
    }
    auto& find = finds[one.row];
    if (find.size() >= kMostFinds) return;
    for (const auto line : one.lines) {
      if (std::find(find.begin(), find.end(), line) != find.end()) continue;
      find.push_back(line);
      // Of a line that was redrawn the latest part is the one that matched.
      for (std::size_t back = 1; back <= kKeptLines; ++back) {
        const auto& known = kept[(kept_next - back) % kKeptLines];
        if (known.number == line && !known.text.empty()) explanation.texts.emplace(line, known.text);
      }
    }
    found.insert(one.row);
  }

  void add_fact(const FactRow& row, const Open& one) {
    std::string value(row.value);
    if (row.capture == "version") value = version_in(one.after);
    if (row.capture == "python") value = python_in(one.after);
    if (row.capture == "library") value = library_in(one.before, one.after);
    if (row.capture == "foreign") value = foreign_path_in(one.after);
    facts.add(std::string(row.id), std::move(value), one.lines[0]);
  }

  LogText text;
  Matcher matcher;
  std::vector<Seen> seen;                          // by literal
  std::vector<std::vector<std::size_t>> finds;     // by signature: lines
  std::set<std::size_t> found;                     // signatures
  std::vector<Open> open;
  std::array<KeptLine, kKeptLines> kept;           // the latest, in turn
  std::size_t kept_next = kKeptLines;
  Matcher::Sink on_hit = [this](const Matcher::Hit& hit) { add_hit(hit); };
  LogFacts facts;
  Explanation explanation;
};

LogReader::LogReader() : state_(std::make_unique<State>()) {}
LogReader::~LogReader() = default;

void LogReader::add(std::string_view bytes) { state_->text.add(bytes); }
bool LogReader::wants_more() const { return !state_->text.is_binary(); }

Explanation LogReader::finish() {
  auto& state = *state_;
  state.text.finish();
  for (const auto& one : std::exchange(state.open, {})) state.close(one);
  auto& explanation = state.explanation;
  explanation.lines = state.text.lines();
  explanation.binary = state.text.is_binary();
  explanation.facts = state.facts.finish();
  std::vector<Found> found;
  for (const auto row : state.found) {
    const auto& signature = signature_rows()[row];
    const auto excluded = literals_of(signature.unless);
    if (std::any_of(excluded.begin(), excluded.end(), [&](std::size_t literal) { return state.seen[literal].any; })) continue;
    auto lines = state.finds[row];
    std::sort(lines.begin(), lines.end());
    found.push_back({&signature, std::move(lines)});
  }
  reason(found, explanation);
  return std::move(explanation);
}

}  // namespace gpuway
