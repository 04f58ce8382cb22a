// Replays processes of Windows over the files of a Wine prefix and prints what comes of them, for trees.py to compare.
//   windows_driver PREFIX
// One line in per step, words separated by tabs; paths as Windows writes them:
//   process ID EXECUTABLE CURRENT-FOLDER PATH DEFAULTS SAFE SET-DLL-DIRECTORY     the last word may be missing
//   adddir FOLDER | load FLAGS NAME | handle NAME
//   end
#include <iostream>
#include <sstream>

#include "base/path.h"
#include "base/text.h"
#include "sense/probes/fetch.h"
#include "think/loader/windows/windows_loader.h"
#include "wine_host.h"

namespace {

using gpuway::DllOutcome;
using gpuway::WindowsLoader;

struct Step {
  std::string what, name;
  std::uint32_t flags = 0;
};

struct Process {
  std::string id;
  gpuway::WindowsProcess setup;
  bool safe = true;
  std::vector<Step> steps;
};

// What Wine 8 does otherwise than Windows: docs/loader-windows.md.
constexpr gpuway::LoaderVariant kWine = {.known_dlls = false, .checks_imports = false, .empty_dll_directory = false};

void print(const WindowsLoader& loader, int module, std::ostream& out) {
  out << "L\t" << loader.modules()[static_cast<std::size_t>(module)].path << "\n";
}

void print(const WindowsLoader& loader, const DllOutcome& outcome, std::ostream& out) {
  if (outcome.state == DllOutcome::State::loaded) {
    print(loader, outcome.module, out);
  } else if (outcome.failure) {
    const auto& failure = *outcome.failure;
    out << "E\t" << failure.code << "\t" << failure.library << "\t" << failure.asked_by << "\t"
        << gpuway::join(failure.chain, " > ") << "\n";
    for (const auto& place : failure.searched)
      out << "P\t" << place.rule << "\t" << place.path << "\t" << place.outcome << "\n";
  } else {
    out << "U\t" << outcome.reason << "\n";
  }
}

void print_modules(const WindowsLoader& loader, std::ostream& out) {
  for (const auto& module : loader.modules()) out << (module.of_system ? "S\t" : "M\t") << module.path << "\n";
}

void replay(const Process& process, const gpuway::Snapshot& snapshot, gpuway::Wants& wants, std::ostream& out) {
  WindowsLoader loader(snapshot, process.setup, wants, kWine);
  const auto started = loader.start();
  if (started.state != DllOutcome::State::loaded) {
    out << "start: ";
    print(loader, started, out);
  }
  for (const auto& step : process.steps) {
    if (step.what == "adddir") {
      loader.add_dll_directory(gpuway::from_windows_path(step.name));
      continue;
    }
    if (step.what == "handle") {
      const int module = loader.find_loaded(step.name);
      if (module >= 0) {
        print(loader, module, out);
      } else {
        out << "E\t126\t\t\t\n";
      }
    } else {
      print(loader, loader.load(step.name, step.flags), out);
    }
    print_modules(loader, out);
  }
}

Process parse_process(const std::vector<std::string>& words) {
  Process process;
  process.id = words.at(1);
  process.setup.executable = gpuway::from_windows_path(words.at(2));
  process.setup.current_folder = gpuway::from_windows_path(words.at(3));
  process.setup.path = words.at(4);
  process.setup.default_flags = static_cast<std::uint32_t>(std::stoul(words.at(5), nullptr, 16));
  process.safe = words.at(6) == "1";
  if (words.size() > 7) process.setup.dll_directory = gpuway::from_windows_path(words.at(7));
  return process;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const auto host = gpuway::make_wine_host(arguments[1]);
  Process process;
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words;
    for (const auto word : gpuway::split(line, '\t')) words.emplace_back(word);
    if (words[0] == "process") {
      process = parse_process(words);
    } else if (words[0] == "load") {
      process.steps.push_back(
          {words[0], words.at(2), static_cast<std::uint32_t>(std::stoul(words.at(1), nullptr, 16))});
    } else if (words[0] != "end") {
      process.steps.push_back({words[0], words.at(1)});
    } else {
      gpuway::Snapshot snapshot;
      snapshot.system.family = "windows";
      snapshot.system.architecture = gpuway::Fact<std::string>::known("x86_64", {});
      snapshot.windows.emplace();
      snapshot.windows->windows_folder = "C:/windows";
      snapshot.windows->system_folder = "C:/windows/system32";
      snapshot.windows->known_dlls = gpuway::Fact<std::vector<std::string>>::known({}, {});
      snapshot.windows->safe_dll_search = gpuway::Fact<bool>::known(process.safe, {});
      gpuway::Fetcher fetcher(*host, std::chrono::seconds(10));
      std::ostringstream out;
      constexpr int kMaxRounds = 256;
      for (int round = 0; round < kMaxRounds; ++round) {
        gpuway::Wants wants;
        out.str({});
        replay(process, snapshot, wants, out);
        if (wants.empty() || !fetcher.fetch(wants, snapshot)) break;
      }
      std::cout << "process\t" << process.id << "\n" << out.str() << "end" << std::endl;
    }
  }
  return 0;
}
