#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "commands/run.h"
#include "sense/platform/live_host.h"
#include "sense/platform/terminal.h"

namespace {

class LiveFileWriter final : public gpuway::FileWriter {
 public:
  gpuway::Status replace_file(const std::string& path, const std::string& content) override {
    return gpuway::replace_file(path, content);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (const int code = gpuway::maybe_run_driver_child(argc, argv); code >= 0) return code;
  gpuway::occupy_closed_streams();
  std::ios::sync_with_stdio(false);
  const auto host = gpuway::make_live_host();
  const auto& variables = host->environment();
  gpuway::Terminal terminal;
  terminal.out_is_terminal = gpuway::is_terminal(1);
  terminal.err_is_terminal = gpuway::is_terminal(2);
  terminal.width = gpuway::terminal_width();
  const auto no_colour = variables.find("NO_COLOR");
  const auto term = variables.find("TERM");
  terminal.no_colour = (no_colour != variables.end() && !no_colour->second.empty()) || (term != variables.end() && term->second == "dumb");
  LiveFileWriter files;
  gpuway::Program program{*host, files, std::cout, std::cerr, terminal};
  return gpuway::run_gpuway({argv + 1, argv + argc}, program);
}
