// Makes the system calls of a recorded run again and nothing else, so that the run can be set against what the system
// alone takes. Reads one call per line: "open PATH FLAGS", "stat PATH", "lstat PATH", "readlink PATH", "read N SIZE",
// "pread N SIZE OFFSET", "map N SIZE", "list N", "close N", where N is the number of the open call, from 0.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct call {
  char kind;   // o s l k r p m d c
  char* path;
  long number, size, offset;
};

int main(int argc, char** argv) {
  FILE* list = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (list == NULL) return 2;
  struct call* calls = NULL;
  size_t count = 0, room = 0;
  char* line = NULL;
  size_t length = 0;
  while (getline(&line, &length, list) > 0) {
    if (count == room) calls = realloc(calls, (room = room * 2 + 1024) * sizeof *calls);
    struct call* call = &calls[count];
    memset(call, 0, sizeof *call);
    char path[8192];
    call->kind = line[0];
    if (strchr("oslk", call->kind)) {
      if (sscanf(line + 2, "%ld %8191[^\n]", &call->number, path) != 2) continue;
      call->path = strdup(path);
    } else if (sscanf(line + 2, "%ld %ld %ld", &call->number, &call->size, &call->offset) < 1) {
      continue;
    }
    ++count;
  }
  fclose(list);
  int* files = calloc(count + 1, sizeof *files);
  static char buffer[1 << 23];
  struct stat info;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  long opened = 0;
  for (size_t i = 0; i < count; ++i) {
    const struct call* call = &calls[i];
    const int file = strchr("oslk", call->kind) ? -1 : files[call->number];
    const size_t size = (size_t)(call->size < (long)sizeof buffer ? call->size : (long)sizeof buffer);
    long ignored = 0;
    switch (call->kind) {
      case 'o': files[opened++] = open(call->path, (int)call->number); break;
      case 's': ignored = stat(call->path, &info); break;
      case 'l': ignored = lstat(call->path, &info); break;
      case 'k': ignored = readlink(call->path, buffer, 4096); break;
      case 'r': ignored = read(file, buffer, size); break;
      case 'p': ignored = pread(file, buffer, size, call->offset); break;
      case 'f': ignored = fstat(file, &info); break;
      case 'm': ignored = mmap(NULL, (size_t)call->size, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED; break;
      case 'd': ignored = syscall(SYS_getdents64, file, buffer, 32768); break;
      case 'c': ignored = close(file); break;
      default: break;
    }
    (void)ignored;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.6f\n", (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9);
  return 0;
}
