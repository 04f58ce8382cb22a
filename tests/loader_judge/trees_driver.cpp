// Replays processes over the live machine and prints what comes of them, for trees.py to compare. One line in per step:
//   process ID CURRENT-FOLDER EXECUTABLE LD_LIBRARY_PATH LD_PRELOAD CACHE     CACHE: empty for the machine's own
//   open FLAG CALLER NAME        FLAG g: RTLD_GLOBAL; CALLER: - or the number of an earlier request
//   end
// Words are separated by tabs.
#include <iostream>
#include <sstream>

#include "base/text.h"
#include "sense/platform/live_host.h"
#include "sense/probes/fetch.h"
#include "sense/probes/system.h"
#include "think/formats/ld_so_cache.h"
#include "think/loader/glibc/glibc_loader.h"

namespace {

using gpuway::GlibcLoader;
using gpuway::LoadOutcome;

constexpr std::uint16_t kX86_64 = 62;
constexpr const char* kStates[] = {"loaded", "failed", "dies", "undetermined"};
constexpr const char* kKinds[] = {"not-found",      "too-short",       "not-elf", "malformed",
                                  "wrong-class",    "wrong-machine",   "denied",  "version-missing",
                                  "symbol-missing", "executable-stack"};

struct Open {
  bool global = false;
  int caller = -1;  // number of a request
  std::string name;
};

struct Process {
  std::string id;
  gpuway::ProcessSetup setup;
  std::string cache;
  std::vector<Open> opens;
};

void print_objects(const GlibcLoader& loader, std::ostream& out) {
  out << "objects";
  for (const auto& object : loader.objects()) out << "\t" << object.path;
  out << "\n";
}

void print(const GlibcLoader& loader, const LoadOutcome& outcome, std::ostream& out) {
  out << kStates[static_cast<int>(outcome.state)];
  if (outcome.state == LoadOutcome::State::loaded) {
    out << "\t" << loader.objects()[static_cast<std::size_t>(outcome.object)].path;
  } else if (outcome.failure) {
    const auto& failure = *outcome.failure;
    out << "\t" << kKinds[static_cast<int>(failure.kind)] << "\t" << failure.library << "\t" << failure.path << "\t"
        << failure.symbol << "\t" << failure.version << "\t" << failure.version_file;
  } else {
    out << "\t" << outcome.reason;
  }
  out << "\n";
  if (outcome.failure) {
    for (const auto& place : outcome.failure->searched) {
      out << "place\t" << place.rule << "\t" << place.path << "\t" << place.outcome << "\n";
    }
  }
}

void replay(const Process& process, const gpuway::Snapshot& snapshot, gpuway::Wants& wants, std::ostream& out) {
  GlibcLoader loader(snapshot, process.setup, wants);
  const auto started = loader.start();
  print(loader, started, out);
  print_objects(loader, out);
  if (started.state != LoadOutcome::State::loaded) return;
  std::vector<int> opened;
  for (const auto& open : process.opens) {
    gpuway::LoadRequest request{.name = open.name, .global = open.global};
    if (open.caller >= 0) request.caller = opened[static_cast<std::size_t>(open.caller)];
    if (request.caller < 0) {
      opened.push_back(-1);
      out << "skipped\n";
      continue;
    }
    const auto outcome = loader.open(request);
    opened.push_back(outcome.state == LoadOutcome::State::loaded ? outcome.object : -1);
    print(loader, outcome, out);
    if (outcome.state == LoadOutcome::State::process_dies) return;
    print_objects(loader, out);
  }
}

}  // namespace

int main() {
  const auto host = gpuway::make_live_host();
  gpuway::Snapshot machine;
  gpuway::collect_system(*host, machine);
  gpuway::collect_loader_cache(*host, machine);
  Process process;
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words;
    for (const auto word : gpuway::split(line, '\t')) words.emplace_back(word);
    if (words[0] == "process") {
      process = {};
      process.id = words.at(1);
      process.setup = {words.at(3), words.at(2), words.at(4), words.at(5)};
      process.cache = words.at(6);
    } else if (words[0] == "open") {
      process.opens.push_back({words.at(1) == "g", words.at(2) == "-" ? -1 : std::stoi(words.at(2)), words.at(3)});
    } else if (words[0] == "end") {
      auto snapshot = machine;
      if (!process.cache.empty()) {
        const auto bytes = host->read_file(process.cache, 64 << 20);
        auto cache = gpuway::parse_ld_so_cache(gpuway::ByteView(bytes.value()), kX86_64);
        snapshot.loader_cache = gpuway::Fact<gpuway::LoaderCache>::known(cache.take(), {});
      }
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
