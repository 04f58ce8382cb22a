#include "commands/inspect.h"

#include <algorithm>
#include <ostream>

#include "base/path.h"
#include "base/text.h"
#include "commands/inspect_paths.h"
#include "commands/progress.h"
#include "say/render/inspect.h"
#include "sense/host/root_host.h"
#include "sense/probes/fetch.h"
#include "sense/probes/system.h"
#include "sense/probes/windows/windows_system.h"
#include "think/knowledge/interests.h"
#include "think/rules/inspect.h"

namespace gpuway {
namespace {

// Each round opens one more level of a dependency tree.
constexpr int kMaxRounds = 64;

std::vector<InspectedFile> inspect_while_fetching(const Host& host, const InspectRequest& request, Snapshot& snapshot) {
  Fetcher fetcher(host, std::chrono::seconds(10));   // asks no program and no driver
  for (int round = 0;; ++round) {
    Wants wants;
    auto files = inspect_files(snapshot, request, wants);
    if (wants.empty() || round == kMaxRounds || !fetcher.fetch(wants, snapshot)) return files;
  }
}

}  // namespace

int run_inspect(const InspectOptions& options, Program& program) {
  const Messages messages(options.language.empty() ? language_of_environment(program.host.environment(), program.terminal.language) : options.language);
  std::unique_ptr<Host> other_root;
  if (!options.root.empty()) {
    auto made = make_root_host(program.host, options.root);
    if (!made) {
      program.err << "gpuway: " << printable(options.root) << ": " << printable(made.error().text()) << "\n";
      return kUnfinished;
    }
    other_root = made.take();
  }
  const Host& host = other_root != nullptr ? *other_root : program.host;

  Snapshot snapshot;
  snapshot.root = host.root();
  snapshot.live = host.is_live();
  snapshot.current_folder = host.current_folder();
  Inspection inspection;
  {
    const Progress progress(program, "reading libraries");
    collect_variables(host, snapshot);
    if (host.is_windows()) {
      collect_windows_system(host, snapshot);
    } else {
      collect_system(host, snapshot);
      collect_loader_cache(host, snapshot);
    }
    for (const auto& path : options.paths) {
      auto found = files_to_inspect(host, snapshot, path);
      if (!found) {
        program.err << "gpuway: " << (path.empty() ? "''" : printable(path)) << ": " << printable(found.error().text()) << "\n";
        return found.error().code == ErrorCode::not_found ? kUsage : kUnfinished;
      }
      inspection.problems.insert(inspection.problems.end(), found->problems.begin(), found->problems.end());
      auto files = inspect_while_fetching(host, found->request, snapshot);
      inspection.files.insert(inspection.files.end(), std::make_move_iterator(files.begin()),
                              std::make_move_iterator(files.end()));
    }
  }
  if (options.json) {
    program.out << render_inspect_json(inspection, GPUWAY_VERSION, knowledge_date());
  } else {
    TextOptions text;
    text.width = program.terminal.width;
    text.colour = options.colour == "always" ||
                  (options.colour == "auto" && program.terminal.out_is_terminal && !program.terminal.no_colour);
    text.verbose = options.verbose;
    text.all = options.all;
    program.out << render_inspect_text(inspection, messages, text);
  }
  program.out.flush();
  if (!program.out) {
    program.err << "gpuway: the answer could not be written\n";
    return kUnfinished;
  }
  const auto any = [&](auto&& wanted) { return std::any_of(inspection.files.begin(), inspection.files.end(), wanted); };
  if (any([](const InspectedFile& file) { return file.kind == "unreadable"; })) return kUnfinished;
  if (any([](const InspectedFile& file) { return file.loads == Verdict::no || file.loads == Verdict::crashes; }))
    return kFindings;
  return kFine;
}

}  // namespace gpuway
