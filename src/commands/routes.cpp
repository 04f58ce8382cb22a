#include "commands/routes.h"

#include <algorithm>
#include <ostream>

#include "base/path.h"
#include "base/text.h"
#include "commands/look.h"
#include "say/lock/lock_files.h"
#include "say/render/routes_json.h"
#include "say/render/routes_text.h"
#include "think/formats/pep440_specifiers.h"
#include "think/knowledge/interests.h"
#include "think/routes/paper_machine.h"
#include "think/routes/resolve.h"
#include "think/routes/route_machine.h"

namespace gpuway {
namespace {

struct Resolved {
  RouteMachine machine;
  RouteWishes wishes;
  std::vector<Route> routes;
};

// "tensorflow>=2.16" -> the framework and the specifiers behind it.
Status take_need(const std::string& text, RouteWishes& wishes) {
  const auto at = text.find_first_of("=<>!~ ");
  auto name = to_lower(text.substr(0, at));
  if (name == "torch") name = "pytorch";
  if (name == "ort") name = "onnxruntime";
  if (name != "tensorflow" && name != "pytorch" && name != "jax" && name != "onnxruntime") {
    return make_error(ErrorCode::malformed, "--need " + printable(text) + ": expected tensorflow, pytorch, jax or onnxruntime, and versions such as tensorflow>=2.16");
  }
  wishes.framework = name;
  wishes.versions = at == std::string::npos ? "" : std::string(trim(text.substr(at)));
  if (const auto read = parse_specifiers(wishes.versions); !read) return make_error(ErrorCode::malformed, "--need " + printable(text) + ": " + read.error().detail);
  return Done{};
}

Status take_keep(const std::string& text, RouteWishes& wishes) {
  const auto lower = to_lower(text);
  if (lower == "numpy") {
    wishes.keep_numpy2 = true;
    return Done{};
  }
  if (lower.starts_with("python=")) {
    wishes.python = lower.substr(lower.find_last_of('=') + 1);
    if (!wishes.python.empty() && wishes.python.find_first_not_of("0123456789.") == std::string::npos && wishes.python.find('.') != std::string::npos) return Done{};
  }
  return make_error(ErrorCode::malformed, "--keep " + printable(text) + ": expected python=3.11 or numpy (a NumPy of 2.x)");
}

Status take_wishes(const RoutesOptions& options, RouteWishes& wishes) {
  wishes.no_wsl = options.no_wsl;
  wishes.no_admin = options.no_admin;
  wishes.offline = options.offline;
  wishes.windows_only = options.audience == "windows-only";
  for (const auto& need : options.needs) {
    if (auto taken = take_need(need, wishes); !taken) return taken;
  }
  for (const auto& keep : options.keeps) {
    if (auto taken = take_keep(keep, wishes); !taken) return taken;
  }
  return Done{};
}

// The framework that somebody most likely asks about: the first that is there and does not work, then any.
void choose_framework(const RouteMachine& machine, RouteWishes& wishes) {
  const auto known = [](const auto& row) { return row.framework != "keras"; };
  auto row = std::find_if(machine.installed.begin(), machine.installed.end(), [&](const auto& one) { return known(one) && !one.works; });
  if (row == machine.installed.end()) row = std::find_if(machine.installed.begin(), machine.installed.end(), known);
  if (row != machine.installed.end()) wishes.framework = row->framework;
}

Result<Resolved> resolve(const RoutesOptions& options, Program& program) {
  Resolved out;
  GPUWAY_TRY(take_wishes(options, out.wishes));
  if (!options.machine.empty()) {
    GPUWAY_TRY_ASSIGN(out.machine, machine_on_paper(options.machine), std::string("--machine"));
  } else {
    std::vector<std::string> not_found;
    GPUWAY_TRY_ASSIGN(const auto looked, look(options.look, {}, program, not_found));
    out.machine = route_machine_of(looked.snapshot, looked.answer);
  }
  if (options.needs.empty()) choose_framework(out.machine, out.wishes);
  out.routes = resolve_routes(out.machine, out.wishes);
  return out;
}

int refuse(Program& program, const Error& error) {
  program.err << "gpuway: " << printable(error.text()) << "\n";
  return error.code == ErrorCode::malformed || error.code == ErrorCode::too_large ? kUsage : kUnfinished;
}

const Route* find(const std::vector<Route>& routes, const std::string& id) {
  const auto found = std::find_if(routes.begin(), routes.end(), [&](const Route& route) { return route.id == id; });
  return found == routes.end() ? nullptr : &*found;
}

int unknown_route(const std::string& id, const std::vector<Route>& routes, Program& program) {
  std::string names;
  for (const auto& route : routes) names += (names.empty() ? "" : ", ") + route.id;
  program.err << "gpuway: no route \"" << printable(id) << "\" for this machine: expected " << names << "\n";
  return kUsage;
}

int finish(Program& program) {
  program.out.flush();
  if (program.out) return kFine;
  program.err << "gpuway: the answer could not be written\n";
  return kUnfinished;
}

}  // namespace

int run_routes(const RoutesOptions& options, Program& program) {
  const auto& look = options.look;
  const Messages messages(look.language.empty() ? language_of_environment(program.host.environment(), program.terminal.language) : look.language);
  const auto resolved = resolve(options, program);
  if (!resolved) return refuse(program, resolved.error());
  auto routes = resolved->routes;
  TextOptions text;
  text.width = program.terminal.width;
  const auto* one = options.route.empty() ? nullptr : find(routes, options.route);
  if (!options.route.empty() && one == nullptr) return unknown_route(options.route, routes, program);
  if (look.json) {
    program.out << render_routes_json(one != nullptr ? std::vector<Route>{*one} : routes, resolved->machine, resolved->wishes, GPUWAY_VERSION, knowledge_date());
  } else if (one != nullptr) {
    program.out << render_route_text(*one, messages, text);
  } else {
    program.out << render_routes_text(routes, resolved->machine, resolved->wishes, messages, text);
  }
  return finish(program);
}

int run_lock(const RoutesOptions& options, Program& program) {
  const auto resolved = resolve(options, program);
  if (!resolved) return refuse(program, resolved.error());
  const auto* route = find(resolved->routes, options.route);
  if (route == nullptr) return unknown_route(options.route, resolved->routes, program);
  if (route->verdict == RouteVerdict::refused) {
    program.err << "gpuway: " << route->id << " does not work on this machine; `gpuway routes " << route->id << "` says why\n";
    return kFindings;
  }
  const auto files = lock_files(*route, resolved->machine);
  if (files.empty()) {
    program.err << "gpuway: " << route->id << " installs nothing, so there is nothing to write\n";
    return kUsage;
  }
  // What somebody has changed, or what is not ours, is not written over.
  for (const auto& [name, content] : files) {
    const auto path = join_path(options.output, name);
    const auto present = program.host.read_file(path, 1 << 20);
    const bool absent = !present && present.error().code == ErrorCode::not_found;
    if (absent || (present && *present == content)) continue;
    program.err << "gpuway: " << printable(shown_path(path)) << ": is there already and differs; nothing was written\n";
    return kUsage;
  }
  for (const auto& [name, content] : files) {
    const auto path = join_path(options.output, name);
    auto done = program.files.make_folder(parent_path(path));
    if (done) done = program.files.replace_file(path, content);
    if (!done) {
      program.err << "gpuway: " << printable(shown_path(path)) << ": " << done.error().text() << "\n";
      return kUnfinished;
    }
    program.out << shown_path(path) << "\n";
  }
  return finish(program);
}

}  // namespace gpuway
