#include <chrono>
#include <cstdlib>
#include <thread>

#include "host_contract/contract.h"
#include "sense/platform/child_process.h"
#include "sense/platform/terminal.h"

namespace gpuway {
namespace {

constexpr std::string_view kMark = "--play";

int play(const std::vector<std::string>& words) {
  const auto& name = words.at(1);
  if (name == "arguments") {
    for (std::size_t i = 2; i < words.size(); ++i) write_stdout("[" + words[i] + "]\n");
  } else if (name == "exit") {
    return std::stoi(words.at(2));
  } else if (name == "stdin") {
    write_stdout("<" + read_stdin() + ">");
  } else if (name == "variable") {
    const auto host = make_live_host();
    const auto found = host->environment().find(words.at(2));
    write_stdout(found != host->environment().end() ? found->second : "(none)");
  } else if (name == "flood") {
    while (true) write_stdout(std::string(1000, 'x'));
  } else if (name == "sleep") {
    std::this_thread::sleep_for(std::chrono::seconds(60));
  } else if (name == "leave") {
    leave_behind(this_program(), {"--play", "sleep"});
    write_stdout("said");
    return 7;
  } else if (name == "crash") {
    write_stdout("before");
    crash();
  }
  return 0;
}

}  // namespace

std::string this_program() {
  const auto host = make_live_host();
  const auto real = host->real_path(own_program());
  return real ? *real : own_program();
}

ProgramRequest part(std::vector<std::string> arguments, std::chrono::milliseconds time_limit,
                    std::uint64_t output_limit) {
  arguments.insert(arguments.begin(), {this_program(), std::string(kMark)});
  return {std::move(arguments), time_limit, output_limit};
}

}  // namespace gpuway

int main(int argc, char** argv) {
  gpuway::prepare_process();
  if (const int code = gpuway::maybe_run_child(gpuway::program_arguments(argc, argv)); code >= 0) return code;
  const auto words = arguments_of_process(argc, argv);
  if (!words.empty() && words[0] == gpuway::kMark) return gpuway::play(words);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
