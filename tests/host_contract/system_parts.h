#pragma once

#include <string>
#include <vector>

// What the contract's tests need of the system they run on, without the product.

/// The arguments of this process by the system's own splitting.
std::vector<std::string> arguments_of_process(int argc, char** argv);
/// Bytes to stdout as they are.
void write_stdout(const std::string& bytes);
/// Everything that stdin gives.
std::string read_stdin();
/// Sets a variable of this process.
void set_variable(const std::string& name, const std::string& value);
/// Starts `program` with `arguments` in the background with our stdout, and does not wait.
void leave_behind(const std::string& program, const std::vector<std::string>& arguments);
/// True where a symbolic link could really be made.
bool make_symlink(const std::string& target, const std::string& path);
/// A folder, a file and the end of both, also where the whole path is longer than Windows takes without a prefix.
bool make_folder(const std::string& path);
bool make_file(const std::string& path, const std::string& content);
void remove_folder(const std::string& path);
void remove_file(const std::string& path);
[[noreturn]] void crash();
/// Ends the name of a shared library: ".so" or ".dll".
extern const char* const kLibrarySuffix;
