#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sense/host/host.h"

namespace gpuway {

/// The machine this program runs on.
std::unique_ptr<Host> make_live_host();

/// What the program was called with, as UTF-8, without its own name.
std::vector<std::string> program_arguments(int argc, char** argv);

/// When the program was started as the child that asks a driver library (see ask_driver), does that and returns its
/// exit code; returns -1 otherwise. Must be the first thing main does.
int maybe_run_child(const std::vector<std::string>& arguments);

}  // namespace gpuway
