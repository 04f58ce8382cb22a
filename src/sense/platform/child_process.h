#pragma once

#include <map>
#include <string>

#include "sense/host/host.h"

namespace gpuway {

/// How a child ended, with what it printed until then.
struct ChildEnd {
  ProgramOutput output;
  bool timed_out = false;
};
Result<ChildEnd> run_child_to_end(const ProgramRequest& request, const std::map<std::string, std::string>& environment);

/// Runs a program with an empty stdin, keeps its stdout up to the limit, and ends it with everything it has started
/// when the time is over. timed_out, not_found and access_denied come back as errors; an exit code is an answer.
Result<ProgramOutput> run_child(const ProgramRequest& request, const std::map<std::string, std::string>& environment);

/// The path by which this program can be started again.
std::string own_program();

/// What an exit code says of a program that did not end by itself: "signal 11", "exception 0xC0000005".
std::string death_of(int exit_code);

}  // namespace gpuway
