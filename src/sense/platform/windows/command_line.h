#pragma once

#include <string>
#include <vector>

namespace gpuway {

/// The arguments as one command line that the C runtime of the program called splits into the same arguments.
std::wstring command_line_of(const std::vector<std::string>& arguments);
/// The arguments of a command line without the program's name, split as the C runtime does.
std::vector<std::string> arguments_of(const std::wstring& line);

}  // namespace gpuway
