#include "say/render/routes_text.h"

#include "base/text.h"
#include "say/render/columns.h"

namespace gpuway {
namespace {

std::string sentence(const Messages& messages, const char* kind, const RouteReason& reason) {
  auto args = reason.args;
  for (auto& [name, value] : args) {
    if (auto* plain = std::get_if<std::string>(&value)) *plain = printable(messages.phrase(*plain));
  }
  return messages.word(std::string(kind) + reason.id, args);
}

class RoutesWriter {
 public:
  RoutesWriter(const Messages& messages, const TextOptions& options) : messages_(messages), options_(options) {}

  std::string take() { return std::move(out_); }

  void line(const std::string& text) { out_ += text + "\n"; }

  void wrapped(const std::string& first, const std::string& text, std::size_t indent) {
    const auto width = options_.width > indent + columns_of(first) + 20 ? options_.width - indent - columns_of(first) : 20;
    bool begun = false;
    for (const auto& part : wrap(text, width)) {
      out_ += std::string(indent, ' ') + (begun ? std::string(columns_of(first), ' ') : first) + part + "\n";
      begun = true;
    }
  }

  void machine(const RouteMachine& machine, const RouteWishes& wishes) {
    std::string gpus;
    for (const auto& gpu : machine.gpus) gpus += (gpus.empty() ? "" : ", ") + printable(gpu.name);
    if (gpus.empty()) gpus = messages_.word(machine.gpus_known ? "none" : "undetermined");
    const auto name = machine.system_name.empty() ? machine.system : machine.system_name;
    line(messages_.word("routes-for", {{"framework", wishes.framework + wishes.versions}, {"machine", printable(name)}, {"gpus", gpus}}));
    line("");
  }

  std::string stack_of(const Route& route) const {
    std::string out;
    for (const auto& one : route.install) out += (out.empty() ? "" : " ") + one;
    if (out.empty()) out = route.package + " " + route.version;
    return out + (route.python.empty() ? "" : messages_.word("comma") + "Python " + route.python);
  }

  void head(const Route& route) {
    line(std::to_string(route.rank) + ". " + route.id + "  [" + messages_.word("verdict-" + std::string(to_word(route.verdict))) + "]");
    wrapped("", messages_.word("route-" + kind_of(route)), 3);
    if (!route.package.empty()) wrapped("", printable(stack_of(route)), 3);
  }

  void whole(const Route& route) {
    head(route);
    for (const auto& reason : route.reasons) wrapped("- ", sentence(messages_, "against-", reason), 3);
    if (route.verdict == RouteVerdict::refused) return;   // what it would take does not matter then
    for (const auto& condition : route.conditions) wrapped("- ", sentence(messages_, "first-", condition), 3);
    for (const auto& note : route.notes) wrapped("- ", sentence(messages_, "later-", note), 3);
    if (!route.extra.empty()) wrapped("- ", messages_.word("route-pins", {{"pins", route.extra}}), 3);
    if (!route.index.empty()) wrapped("- ", messages_.word("route-index", {{"index", route.index}}), 3);
    if (route.admin) wrapped("- ", messages_.word("route-admin"), 3);
    if (route.reboot) wrapped("- ", messages_.word("route-reboot"), 3);
  }

 private:
  // "repair-2" is a repair like the first.
  static std::string kind_of(const Route& route) {
    if (route.id.starts_with("repair")) return "repair";
    return route.id.starts_with("as-it-is") ? "as-it-is" : route.id;
  }

  const Messages& messages_;
  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string render_routes_text(const std::vector<Route>& routes, const RouteMachine& machine, const RouteWishes& wishes,
                               const Messages& messages, const TextOptions& options) {
  RoutesWriter writer(messages, options);
  writer.machine(machine, wishes);
  bool refused = false;
  for (const auto& route : routes) {
    if (route.verdict == RouteVerdict::refused && !std::exchange(refused, true)) writer.line(messages.word("routes-refused") + "\n");
    writer.whole(route);
    writer.line("");
  }
  writer.line(messages.word("routes-more"));
  return writer.take();
}

std::string render_route_text(const Route& route, const Messages& messages, const TextOptions& options) {
  RoutesWriter writer(messages, options);
  writer.whole(route);
  return writer.take();
}

}  // namespace gpuway
