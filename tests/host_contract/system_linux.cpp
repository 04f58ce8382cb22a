#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "host_contract/system_parts.h"

const char* const kLibrarySuffix = ".so";

std::vector<std::string> arguments_of_process(int argc, char** argv) { return {argv + 1, argv + argc}; }

void write_stdout(const std::string& bytes) {
  if (::write(1, bytes.data(), bytes.size()) < 0) ::_exit(9);
}

std::string read_stdin() {
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(0, buffer, sizeof buffer)) > 0;)
    all.append(buffer, static_cast<std::size_t>(got));
  return all;
}

void set_variable(const std::string& name, const std::string& value) { ::setenv(name.c_str(), value.c_str(), 1); }

void leave_behind(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  ::posix_spawn(&child, program.c_str(), nullptr, nullptr, words.data(), environ);
}

bool make_symlink(const std::string& target, const std::string& path) {
  return ::symlink(target.c_str(), path.c_str()) == 0;
}

bool make_folder(const std::string& path) { return ::mkdir(path.c_str(), 0755) == 0; }
bool make_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  return file.good();
}
void remove_folder(const std::string& path) { ::rmdir(path.c_str()); }
void remove_file(const std::string& path) { ::unlink(path.c_str()); }

void crash() {
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
  ::_exit(9);
}
