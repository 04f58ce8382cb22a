#include "commands/run.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <ostream>

#include "base/path.h"
#include "base/text.h"
#include "commands/check.h"
#include "commands/explain.h"
#include "commands/inspect.h"
#include "commands/routes.h"
#include "say/messages/messages.h"

namespace gpuway {
namespace {

constexpr const char* kAbout =
    "Finds out why a machine-learning framework does not use the GPU, and gets it there.\n"
    "Looks without touching: it starts no Python, changes nothing and opens no network connection.";

void add_check_options(CLI::App& app, CheckOptions& options) {
  app.add_option("--env", options.environments, "only this environment: a prefix, an interpreter or a project folder (repeatable)")->type_name("PATH");
  app.add_option("--framework", options.frameworks, "only this framework: tensorflow, pytorch, jax, onnxruntime, keras (repeatable)")->type_name("NAME");
  app.add_option("--expect", options.expectations, "exit with 1 unless the framework sees the GPU (tensorflow:gpu) or imports (tensorflow:cpu)")->type_name("NAME:gpu|cpu");
  app.add_option("--save", options.save, "write everything that was seen to FILE; - writes it to stdout in place of the answer")->type_name("FILE");
  app.add_option("--from", options.from, "answer from a FILE that --save wrote, without looking at this machine")->type_name("FILE");
  app.add_option("--root", options.root, "take the files below DIR as the machine: an unpacked image, a mounted disk")->type_name("DIR");
  app.add_flag("--start-distros", options.start_distributions, "on Windows: start stopped WSL 2 distributions to look into them");
  app.add_option("--timeout", options.timeout_s, "how long a driver library or nvidia-smi may take to answer (default 10)")->type_name("SECONDS")->check(CLI::Range(1, 3600));
  app.add_flag("--json", options.json, "one JSON document on stdout (schema gpuway.check/1)");
  app.add_flag("--all", options.all, "also show environments without a framework");
  app.add_flag("-v,--verbose", options.verbose, "show every place searched");
  app.add_flag("-q,--quiet", options.quiet, "leave out notes");
  app.add_option("--color", options.colour, "always, never or auto")->type_name("WHEN")->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option("--lang", options.language, "language of the answer: en or zh; without it as LC_ALL, LC_MESSAGES or LANG say")->type_name("LANG")->check(CLI::IsMember(Messages::languages()));
}

void add_inspect_options(CLI::App& app, InspectOptions& options) {
  app.add_option("path", options.paths, "a library, a folder of libraries, or a Python environment")->required()->type_name("PATH");
  app.add_option("--root", options.root, "take the files below DIR as the machine")->type_name("DIR");
  app.add_flag("--json", options.json, "one JSON document on stdout (schema gpuway.inspect/1)");
  app.add_flag("--all", options.all, "also show files without GPU code that find everything");
  app.add_flag("-v,--verbose", options.verbose, "show every library behind a file and every place searched");
  app.add_option("--color", options.colour, "always, never or auto")->type_name("WHEN")->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option("--lang", options.language, "language of the answer: en or zh; without it as LC_ALL, LC_MESSAGES or LANG say")->type_name("LANG")->check(CLI::IsMember(Messages::languages()));
}

void add_routes_options(CLI::App& app, RoutesOptions& options) {
  app.add_option("--machine", options.machine, "a machine on paper: \"RTX 3060, driver 566.36, windows 11, python 3.11\"")->type_name("TEXT");
  app.add_option("--need", options.needs, "the framework, and the versions that are needed: tensorflow>=2.16")->type_name("NAME[VERSIONS]");
  app.add_option("--keep", options.keeps, "what has to stay: python=3.10, numpy (repeatable)")->type_name("WHAT");
  app.add_option("--for", options.audience, "for whom: student, enterprise or windows-only")->type_name("WHOM")->check(CLI::IsMember({"student", "enterprise", "windows-only"}));
  app.add_flag("--no-wsl", options.no_wsl, "WSL is not wanted");
  app.add_flag("--no-admin", options.no_admin, "nobody with administrator rights helps");
  app.add_flag("--offline", options.offline, "nothing large can be downloaded");
  app.add_option("--from", options.look.from, "answer from a FILE that `gpuway check --save` wrote")->type_name("FILE");
  app.add_option("--root", options.look.root, "take the files below DIR as the machine")->type_name("DIR");
  app.add_option("--timeout", options.look.timeout_s, "how long a driver library or nvidia-smi may take to answer (default 10)")->type_name("SECONDS")->check(CLI::Range(1, 3600));
  app.add_option("--lang", options.look.language, "language of the answer: en or zh; without it as LC_ALL, LC_MESSAGES or LANG say")->type_name("LANG")->check(CLI::IsMember(Messages::languages()));
}

void add_explain_options(CLI::App& app, ExplainOptions& options) {
  app.add_option("file", options.file, "a log, or - for what is piped or pasted (the default)")->type_name("FILE");
  app.add_flag("--json", options.json, "one JSON document on stdout (schema gpuway.explain/1)");
  app.add_option("--color", options.colour, "always, never or auto")->type_name("WHEN")->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option("--lang", options.language, "language of the answer: en or zh; without it as LC_ALL, LC_MESSAGES or LANG say")->type_name("LANG")->check(CLI::IsMember(Messages::languages()));
}

// Paths as people type them on Windows become what is used everywhere inside. Those within another root are its own.
void take_in_paths(const Host& host, const std::string& root, std::vector<std::string*> of_system, std::vector<std::string>& of_machine) {
  if (!host.is_windows()) return;
  const auto here = host.current_folder();
  for (auto* path : of_system) *path = path->empty() || *path == "-" ? *path : typed_windows_path(*path, here);
  for (auto& path : of_machine) {
    if (root.empty()) path = typed_windows_path(path, here);
  }
}

// The known word that differs least from `word`, when it is near enough to be meant.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = 3;
  for (const auto& candidate : known) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t k = 1; k <= candidate.size(); ++k) {
        const auto above = row[k];
        row[k] = std::min({row[k] + 1, row[k - 1] + 1, diagonal + (word[i - 1] == candidate[k - 1] ? 0U : 1U)});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace

int run_gpuway(const std::vector<std::string>& arguments, Program& program) {
  CLI::App app(kAbout, "gpuway");
  app.set_version_flag("--version", std::string("gpuway ") + GPUWAY_VERSION);
  app.allow_windows_style_options(false);
  app.require_subcommand(0, 1);
  CheckOptions check;
  add_check_options(app, check);
  auto* check_command = app.add_subcommand("check", "look at this machine and every Python environment (the default)");
  add_check_options(*check_command, check);
  InspectOptions inspect;
  auto* inspect_command = app.add_subcommand("inspect", "what a library needs, where it is found, and which GPU code is inside");
  add_inspect_options(*inspect_command, inspect);
  RoutesOptions routes, lock;
  auto* routes_command = app.add_subcommand("routes", "every way to a working GPU on this machine, ranked, with the reason against the others");
  routes_command->add_option("route", routes.route, "only this one")->type_name("ROUTE");
  add_routes_options(*routes_command, routes);
  routes_command->add_flag("--json", routes.look.json, "one JSON document on stdout (schema gpuway.routes/1)");
  auto* lock_command = app.add_subcommand("lock", "write a route as files: requirements, set-up scripts, recipes for containers");
  lock_command->add_option("route", lock.route, "one that `gpuway routes` names")->required()->type_name("ROUTE");
  lock_command->add_option("-o,--output", lock.output, "the folder to write into")->required()->type_name("DIR");
  add_routes_options(*lock_command, lock);
  ExplainOptions explain;
  auto* explain_command = app.add_subcommand("explain", "from a log, pasted or piped, to the cause");
  add_explain_options(*explain_command, explain);
  app.footer("Exit codes: 0 nothing wrong, 1 errors found, 2 used wrongly, 3 could not finish.");

  if (!arguments.empty() && !arguments[0].empty() && arguments[0][0] != '-') {
    std::vector<std::string> commands;
    for (const auto* command : app.get_subcommands([](CLI::App*) { return true; })) commands.push_back(command->get_name());
    if (std::find(commands.begin(), commands.end(), arguments[0]) == commands.end()) {
      program.err << "gpuway: unknown command \"" << printable(arguments[0]) << "\"";
      if (const auto near = nearest(arguments[0], commands); !near.empty()) program.err << "; did you mean \"" << near << "\"?";
      program.err << "\n";
      return kUsage;
    }
  }
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());   // CLI11 takes them from the back
    app.parse(reversed);
  } catch (const CLI::ParseError& fault) {
    if (fault.get_exit_code() == 0) {   // --help, --version
      app.exit(fault, program.out, program.err);
      program.out.flush();
      if (program.out) return kFine;
      program.err << "gpuway: the answer could not be written\n";
      return kUnfinished;
    }
    program.err << "gpuway: " << printable(fault.what());
    for (const auto& argument : arguments) {
      if (!argument.starts_with("--")) continue;
      const auto name = argument.substr(0, argument.find('='));
      if (app.get_option_no_throw(name) != nullptr) continue;
      std::vector<std::string> options;
      for (const auto* option : app.get_options()) {
        for (const auto& known : option->get_lnames()) options.push_back("--" + known);
      }
      if (const auto near = nearest(name, options); !near.empty()) program.err << "; did you mean " << near << "?";
      break;
    }
    program.err << "\n";
    return kUsage;
  }
  take_in_paths(program.host, check.root, {&check.root, &check.from, &check.save}, check.environments);
  take_in_paths(program.host, inspect.root, {&inspect.root}, inspect.paths);
  std::vector<std::string> none;
  take_in_paths(program.host, "", {&routes.look.root, &routes.look.from}, none);
  take_in_paths(program.host, "", {&lock.look.root, &lock.look.from, &lock.output}, none);
  take_in_paths(program.host, "", {&explain.file}, none);
  try {
    if (routes_command->parsed()) return run_routes(routes, program);
    if (lock_command->parsed()) return run_lock(lock, program);
    if (explain_command->parsed()) return run_explain(explain, program);
    return inspect_command->parsed() ? run_inspect(inspect, program) : run_check(check, program);
  } catch (const std::bad_alloc&) {
    program.err << "gpuway: could not finish: out of memory\n";
  } catch (const std::exception& fault) {
    // A fault of ours that input from elsewhere has uncovered: it must not look like a crash of what is examined.
    program.err << "gpuway: could not finish: internal: " << printable(fault.what()) << "\n";
  }
  return kUnfinished;
}

}  // namespace gpuway
