/* The Linux half of the wsl.exe double: connects to the port it is given, reads what to run, and sends back what the process
   writes to stdout ('o', size, bytes) and how it ended ('x', code). What becomes of the process when wsl.exe is ended is as
   in WSL: the connection is lost, and its group is hung up. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void all(int in, int out, void* data, size_t size) {
  for (char* at = data; size > 0;) {
    const ssize_t done = in >= 0 ? read(in, at, size) : write(out, at, size);
    if (done <= 0) _exit(1);
    at += done;
    size -= (size_t)done;
  }
}

static char* take_text(int from) {
  uint32_t size;
  all(from, -1, &size, sizeof size);
  if (size > 1 << 20) _exit(1);
  char* text = calloc(size + 1, 1);
  all(from, -1, text, size);
  return text;
}

static void frame(int to, uint32_t kind, uint32_t number) {
  uint32_t head[2] = {kind, number};
  all(-1, to, head, sizeof head);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  signal(SIGPIPE, SIG_IGN);
  const int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (connect(peer, (struct sockaddr*)&there, sizeof there) != 0) return 1;
  char* home = take_text(peer);
  char* folder = take_text(peer);
  char* distribution = take_text(peer);
  const int count = atoi(take_text(peer));
  char** arguments = calloc((size_t)count + 1, sizeof *arguments);
  for (int i = 0; i < count; ++i) arguments[i] = take_text(peer);
  int out[2];
  if (count == 0 || pipe(out) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    dup2(out[1], 1);
    close(out[0]);
    close(out[1]);
    const int nowhere = 2;
    close(nowhere);
    if (chdir(folder) != 0 && chdir(home) != 0) _exit(1);
    /* What WSL gives (ConfigCreateEnvironmentBlock): nothing of Windows' own variables. */
    clearenv();
    setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games:/usr/local/games:/usr/lib/wsl/lib", 1);
    setenv("LANG", "C.UTF-8", 1);
    setenv("HOSTTYPE", "x86_64", 1);
    setenv("TERM", "xterm-256color", 1);
    setenv("HOME", home, 1);
    setenv("WSL_DISTRO_NAME", distribution, 1);
    execvp(arguments[0], arguments);
    _exit(1);
  }
  close(out[1]);
  struct pollfd ends[2] = {{out[0], POLLIN, 0}, {peer, POLLIN, 0}};
  while (1) {
    if (poll(ends, 2, -1) < 0 && errno != EINTR) break;
    if (ends[1].revents != 0) { /* wsl.exe is gone */
      kill(-child, SIGHUP);
      kill(-child, SIGKILL);
      return 0;
    }
    if (ends[0].revents == 0) continue;
    char buffer[65536];
    const ssize_t got = read(out[0], buffer, sizeof buffer);
    if (got <= 0) break;
    frame(peer, 'o', (uint32_t)got);
    all(-1, peer, buffer, (size_t)got);
  }
  int status = 0;
  waitpid(child, &status, 0);
  /* A signal comes back as the raw status. */
  frame(peer, 'x', WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status) : (uint32_t)status);
  return 0;
}
