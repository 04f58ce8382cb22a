// Runs `gpuway check` on machines made for the tests and compares what it says.
//
//   machines_runner [--update] [--show] FOLDER...
//   machines_runner --save FILE FOLDER                 # only writes the Snapshot of one machine
//
// A folder holds case.json, answer.json (what must be true of `check --json`, written by hand), report.en.txt and
// report.zh.txt (the text, rewritten by --update). See docs/machines.md.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/path.h"
#include "commands/run.h"
#include "sense/host/fixture_host.h"

namespace {

using Json = nlohmann::ordered_json;
using Places = std::map<std::string, std::string>;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::stringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

class MemoryWriter final : public gpuway::FileWriter {
 public:
  gpuway::Status make_folder(const std::string&) override { return gpuway::Done{}; }
  gpuway::Status replace_file(const std::string&, const std::string& content) override {
    saved = content;
    return gpuway::Done{};
  }
  std::string saved;
};

struct Run {
  int code = 0;
  std::string out, err, saved;
};

Run run(const gpuway::Host& host, std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  MemoryWriter files;
  std::ostringstream out, err;
  gpuway::Terminal terminal;
  terminal.width = 100;
  terminal.no_colour = true;
  gpuway::Program program{host, files, out, err, terminal};
  Run done;
  done.code = gpuway::run_gpuway(arguments, program);
  done.out = out.str();
  done.err = err.str();
  done.saved = std::move(files.saved);
  return done;
}

void add(gpuway::FixtureMachine& machine, const std::string& json, const Places& places, const std::string& name) {
  if (const auto added = machine.add_layer(json, places); !added)
    throw std::runtime_error(name + ": " + added.error().text());
}

// The places a layer's texts may name: those of the case, those of the layer, and what follows from both.
Places places_of(const Json& settings, Places places) {
  for (const auto& [key, value] : settings.items()) {
    if (key != "part") places[key] = value.get<std::string>();
  }
  places["tag"] = places["python"].substr(0, 1) + places["python"].substr(2);
  if (places.contains("prefix"))
    places["site"] = places["prefix"] + (gpuway::is_windows_path(places["prefix"]) ? "/Lib/site-packages" : "/lib/python" + places["python"] + "/site-packages");
  // The same place as Windows writes it, inside a JSON text.
  if (places.contains("base")) places["base_windows"] = Json(gpuway::to_windows_path(places["base"])).dump().substr(1, places["base"].size() + std::count(places["base"].begin(), places["base"].end(), '/'));
  return places;
}

gpuway::FixtureMachine make_machine(const Json& description, const std::string& parts) {
  gpuway::FixtureMachine machine;
  const Places common = places_of(description.value("places", Json::object()), {{"python", "3.11"}});
  for (const auto& layer : description.at("layers")) {
    const auto name = layer.is_string() ? layer.get<std::string>() : layer.at("part").get<std::string>();
    const auto places = layer.is_string() ? common : places_of(layer, common);
    add(machine, read_text(parts + "/" + name + ".json"), places, name);
  }
  if (description.contains("machine")) add(machine, description["machine"].dump(), common, "case.json");
  return machine;
}

gpuway::FixtureHost make_host(const std::string& folder);

// A program whose answer is what another of the machines says of itself: gpuway, started in a distribution of WSL.
void answer_from_machines(Json& description, const std::string& machines) {
  if (!description.contains("machine") || !description["machine"].contains("programs")) return;
  for (auto& [command, row] : description["machine"]["programs"].items()) {
    const auto named = row.find("snapshot_of");
    if (named == row.end()) continue;
    const auto inside = make_host(machines + "/" + named->get<std::string>());
    row["out"] = run(inside, {"check", "--save", "-"}, {}).out;
    row.erase("snapshot_of");
  }
}

gpuway::FixtureHost make_host(const std::string& folder) {
  auto description = Json::parse(read_text(folder + "/case.json"));
  for (const auto* field : {"title", "source", "options"}) {
    if (!description.contains(field)) throw std::runtime_error(std::string("case.json has no ") + field);
  }
  answer_from_machines(description, gpuway::parent_path(folder));
  return gpuway::FixtureHost(make_machine(description, gpuway::parent_path(folder) + "/parts"));
}

std::vector<std::string> options_of(const std::string& folder) {
  return Json::parse(read_text(folder + "/case.json"))["options"].get<std::vector<std::string>>();
}

// Every field of `want` must be in `have`; lists have the same length and are compared item by item.
void compare(const Json& want, const Json& have, const std::string& where, std::vector<std::string>& faults) {
  if (want.is_object() && have.is_object()) {
    for (const auto& [key, value] : want.items()) {
      const auto found = have.find(key);
      if (found == have.end()) {
        faults.push_back(where + "/" + key + ": not in the answer");
      } else {
        compare(value, *found, where + "/" + key, faults);
      }
    }
  } else if (want.is_array() && have.is_array()) {
    if (want.size() != have.size()) {
      faults.push_back(where + ": " + std::to_string(have.size()) + " items, expected " + std::to_string(want.size()) +
                       ": " + have.dump());
      return;
    }
    for (std::size_t i = 0; i < want.size(); ++i) compare(want[i], have[i], where + "/" + std::to_string(i), faults);
  } else if (want != have) {
    faults.push_back(where + ": " + have.dump() + ", expected " + want.dump());
  }
}

bool has_error(const Json& answer) {
  for (const auto& finding : answer.at("findings")) {
    if (finding.at("severity") == "error") return true;
  }
  return false;
}

// What must hold on every machine, whatever it is.
void check_promises(const Run& json, const Run& text, const std::vector<std::string>& options,
                    std::vector<std::string>& faults) {
  const auto answer = Json::parse(json.out);
  if (json.code != (has_error(answer) ? 1 : 0)) faults.push_back("exit code " + std::to_string(json.code));
  if (text.code != json.code) faults.push_back("exit codes of text and JSON differ");
  if (!json.err.empty() || !text.err.empty()) faults.push_back("stderr: " + json.err + text.err);
  gpuway::FixtureMachine elsewhere;
  elsewhere.put("/saved.json", {gpuway::FileKind::regular, json.saved, {}, 0644, 0, 0, {}, true});
  const gpuway::FixtureHost host(std::move(elsewhere));
  std::vector<std::string> judged = {options.front()};
  for (std::size_t i = 1; i < options.size(); ++i) {
    if (options[i] == "--env") {
      ++i;  // the saved machine holds only these
    } else {
      judged.push_back(options[i]);
    }
  }
  if (run(host, judged, {"--from", "/saved.json", "--json"}).out != json.out)
    faults.push_back("--from does not give the same JSON");
  if (run(host, judged, {"--from", "/saved.json"}).out != text.out)
    faults.push_back("--from does not give the same text");
}

int run_case(const std::string& folder, bool update, bool show) {
  const auto host = make_host(folder);
  const auto options = options_of(folder);
  const auto text = run(host, options, {});
  const auto json = run(host, options, {"--json", "--save", "/saved.json"});
  if (show) std::cout << text.out << json.out << text.err;
  std::vector<std::string> faults;
  for (const auto& question : host.unexpected()) faults.push_back("no answer recorded: " + question);
  compare(Json::parse(read_text(folder + "/answer.json")), Json::parse(json.out), "", faults);
  check_promises(json, text, options, faults);
  for (const auto* language : {"en", "zh"}) {
    const auto report = folder + "/report." + language + ".txt";
    const auto said = run(host, options, {"--lang", language});
    if (update) {
      std::ofstream(report, std::ios::binary) << said.out;
    } else if (read_text(report) != said.out) {
      faults.push_back(report + " differs (`./dev update-machines` rewrites it); it should be:\n" + said.out);
    }
  }
  for (const auto& fault : faults) std::cerr << folder << ": " << fault << "\n";
  return faults.empty() ? 0 : 1;
}

int save_case(const std::string& folder, const std::string& file) {
  const auto host = make_host(folder);
  std::ofstream out(file, std::ios::binary);
  out << run(host, options_of(folder), {"--save", "/saved.json"}).saved;
  return out.flush() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  bool update = false, show = false;
  std::string save;
  std::vector<std::string> folders;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--update") {
      update = true;
    } else if (argument == "--show") {
      show = true;
    } else if (argument == "--save" && i + 1 < argc) {
      save = argv[++i];
    } else {
      folders.push_back(gpuway::clean_path(argument));
    }
  }
  if (folders.empty()) {
    std::cerr << "usage: machines_runner [--update] [--show] FOLDER...\n";
    return 2;
  }
  if (!save.empty()) return save_case(folders.front(), save);
  int failed = 0;
  for (const auto& folder : folders) {
    try {
      failed += run_case(folder, update, show);
    } catch (const std::exception& fault) {
      std::cerr << folder << ": " << fault.what() << "\n";
      ++failed;
    }
  }
  std::cout << folders.size() - static_cast<std::size_t>(failed) << " of " << folders.size()
            << " machines as expected\n";
  return failed == 0 ? 0 : 1;
}
