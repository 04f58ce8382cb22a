#pragma once

#include <memory>

#include "sense/host/host.h"

namespace gpuway {

/// The machine this program runs on.
std::unique_ptr<Host> make_live_host();

/// When the program was started as the child that asks a driver library (see ask_driver), does that and returns its exit
/// code; returns -1 otherwise. Must be the first thing main does.
int maybe_run_driver_child(int argc, char** argv);

}  // namespace gpuway
