// How long reading the GPU code of a library takes, against a plain memmem scan of the same sections, in one run:
//   fatbin_bench LIBRARY [ROUNDS] [GPUWAY]
// Prints the medians and the ratio; with GPUWAY (a path) also the whole `gpuway inspect --json LIBRARY`. Exit code 1
// when a ratio is above 1.3.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "think/formats/fatbin.h"

namespace {

constexpr char kMagic[] = "\x50\xED\x55\xBA\x01\x00\x10";  // with its final zero eight bytes

// Every occurrence of the magic in the sections of the file that are no code and have bytes.
std::size_t plain_scan(const char* file) {
  Elf64_Ehdr header;
  std::memcpy(&header, file, sizeof header);
  std::size_t hits = 0;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, file + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL || (section.sh_flags & SHF_EXECINSTR) != 0)
      continue;
    const char* at = file + section.sh_offset;
    const char* const end = at + section.sh_size;
    while (const void* hit = memmem(at, static_cast<std::size_t>(end - at), kMagic, 8)) {
      ++hits;
      at = static_cast<const char*>(hit) + 8;
    }
  }
  return hits;
}

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  const int file = open(argv[1], O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0) {
    std::cerr << argv[1] << ": cannot be opened\n";
    return 2;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  // Each round maps the file anew: page faults belong to both.
  const auto mapped = [&](auto&& work) {
    auto* at = static_cast<char*>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0));
    if (at == MAP_FAILED) std::exit(2);
    work(at);
    munmap(at, size);
  };
  std::size_t hits = 0, containers = 0;
  const auto scan = [&] { mapped([&](const char* at) { hits = plain_scan(at); }); };
  const auto read = [&] {
    mapped([&](const char* at) {
      const auto summary =
          gpuway::summarize_gpu_code(gpuway::MemorySource(gpuway::ByteView(std::string_view(at, size))));
      containers = summary ? summary->containers : 0;
    });
  };
  const auto whole = [&] {
    const auto command = std::string(argv[3]) + " inspect --json '" + argv[1] + "' >/dev/null";
    if (std::system(command.c_str()) < 0) std::exit(2);
  };
  scan();  // brings the file into the page cache
  std::vector<double> scans, reads, wholes;
  for (int i = 0; i < rounds; ++i) {  // alternating, so that both meet the same machine
    scans.push_back(seconds(scan));
    reads.push_back(seconds(read));
    if (argc > 3) wholes.push_back(seconds(whole));
  }
  const double base = median(scans), ours = median(reads);
  std::cout << argv[1] << ": " << size / 1048576 << " MiB, " << hits << " magics, " << containers << " containers\n";
  std::cout << "plain scan " << base * 1000 << " ms, gpuway's reader " << ours * 1000 << " ms, ratio " << ours / base
            << "\n";
  double worst = ours / base;
  if (argc > 3) {
    std::cout << "whole `gpuway inspect` " << median(wholes) * 1000 << " ms, ratio " << median(wholes) / base << "\n";
    worst = std::max(worst, median(wholes) / base);
  }
  return worst <= 1.3 ? 0 : 1;
}
