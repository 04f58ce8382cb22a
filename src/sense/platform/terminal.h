#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace gpuway {

/// Whether a standard stream is a terminal, and how wide stdout's is (80 when it is none).
bool is_terminal(int stream);
std::size_t terminal_width();

/// Gives each of the standard streams that is closed a place that leads nowhere and refuses writes, so that no file
/// opened later takes its number and receives what is meant for the user.
void occupy_closed_streams();

/// Replaces a file as a whole: writes beside it, syncs, renames. On failure the old file stays.
Status replace_file(const std::string& path, const std::string& content);

}  // namespace gpuway
