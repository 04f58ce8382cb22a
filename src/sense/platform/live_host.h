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

/// When the program was started as a child that asks a driver (see ask_driver, graphics_adapters), does that and
/// returns its exit code; returns -1 otherwise. To be called before anything is looked at.
int maybe_run_child(const std::vector<std::string>& arguments);

}  // namespace gpuway
