#include "sense/platform/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace gpuway {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long long kLookAgainMs = 20;

Error spawn_error(int number) {
  const auto code = number == ENOENT ? ErrorCode::not_found : number == EACCES ? ErrorCode::access_denied : ErrorCode::io_error;
  Error error = make_error(code, std::string("start program: ") + std::strerror(number));
  error.system = number;
  return error;
}

// Leaves the child to be waited for. A question that cannot be asked counts as an end: waitpid then tells.
bool has_ended(pid_t child) {
  siginfo_t over{};
  if (::waitid(P_PID, static_cast<id_t>(child), &over, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != EINTR;
  return over.si_pid == child;
}

}  // namespace

Result<ChildEnd> run_child_to_end(const ProgramRequest& request, const std::map<std::string, std::string>& environment) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return spawn_error(errno);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);

  std::vector<std::string> settings;
  for (const auto& [name, value] : environment) settings.push_back(name + "=" + value);
  std::vector<char*> arguments, variables;
  for (const auto& argument : request.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  for (const auto& setting : settings) variables.push_back(const_cast<char*>(setting.c_str()));
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  pid_t child = 0;
  const int fault = ::posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), variables.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(pipe_ends[1]);
  if (fault != 0) {
    ::close(pipe_ends[0]);
    return spawn_error(fault);
  }

  ProgramOutput output;
  bool late = false, ended = false;
  const auto deadline = Clock::now() + request.time_limit;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      late = true;
      break;
    }
    // A program may end while a process that it left behind holds the pipe: once it has ended, only what is already in
    // the pipe counts.
    ended = ended || has_ended(child);
    struct pollfd waiting {pipe_ends[0], POLLIN, 0};
    const int ready = ::poll(&waiting, 1, ended ? 0 : static_cast<int>(std::min<long long>(left, kLookAgainMs)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 && ended) break;
    if (ready <= 0) continue;
    char buffer[8192];
    const auto got = ::read(pipe_ends[0], buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    const auto room = request.output_limit - output.out.size();
    output.out.append(buffer, std::min<std::size_t>(static_cast<std::size_t>(got), room));
    if (static_cast<std::uint64_t>(got) > room) {
      output.cut = true;
      break;
    }
  }
  ::close(pipe_ends[0]);
  if (late || output.cut) ::kill(-child, SIGKILL);
  // The pipe's end can be closed before the process ends: give it what is left of its time, then end it.
  while (!has_ended(child)) {
    if (Clock::now() >= deadline) {
      late = true;
      ::kill(-child, SIGKILL);
    }
    ::usleep(500);
  }
  // What it has left behind in its group goes with it. Its number is ours until it is waited for.
  ::kill(-child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  output.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ChildEnd{std::move(output), late};
}

Result<ProgramOutput> run_child(const ProgramRequest& request, const std::map<std::string, std::string>& environment) {
  GPUWAY_TRY_ASSIGN(auto end, run_child_to_end(request, environment));
  if (end.timed_out) {
    return make_error(ErrorCode::timed_out, "no end after " + std::to_string(request.time_limit.count()) + " ms");
  }
  return std::move(end.output);
}

std::string own_program() { return "/proc/self/exe"; }

std::string death_of(int exit_code) {
  return exit_code > 128 ? "signal " + std::to_string(exit_code - 128) : "exit code " + std::to_string(exit_code);
}

}  // namespace gpuway
