#include <string>
#include <vector>

#include "commands/run.h"
#include "sense/platform/live_host.h"
#include "sense/platform/terminal.h"

namespace {

class LiveFileWriter final : public gpuway::FileWriter {
 public:
  gpuway::Status make_folder(const std::string& path) override { return gpuway::make_folder(path); }
  gpuway::Status replace_file(const std::string& path, const std::string& content) override {
    return gpuway::replace_file(path, content);
  }
};

}  // namespace

int main(int argc, char** argv) {
  gpuway::prepare_process();
  const auto arguments = gpuway::program_arguments(argc, argv);
  if (const int code = gpuway::maybe_run_child(arguments); code >= 0) return code;
  gpuway::StandardStreams streams;
  const auto host = gpuway::make_live_host();
  const auto& variables = host->environment();
  gpuway::Terminal terminal;
  terminal.out_is_terminal = streams.out_is_terminal();
  terminal.err_is_terminal = streams.err_is_terminal();
  terminal.width = streams.width();
  terminal.language = gpuway::system_language();
  const auto no_colour = variables.find("NO_COLOR");
  const auto term = variables.find("TERM");
  terminal.no_colour = (no_colour != variables.end() && !no_colour->second.empty()) || (term != variables.end() && term->second == "dumb");
  LiveFileWriter files;
  gpuway::Program program{*host, files, streams.out(), streams.err(), terminal,
                          [&](char* bytes, std::size_t size) { return streams.read_in(bytes, size); }};
  return gpuway::run_gpuway(arguments, program);
}
