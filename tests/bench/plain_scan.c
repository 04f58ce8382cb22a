// The yardstick for `gpuway inspect`: searches every section of an ELF file that has bytes and is no code for the eight
// bytes with which a container of GPU code begins, and does nothing else. Prints how many there are.
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char** argv) {
  static const char magic[8] = "\x50\xED\x55\xBA\x01\x00\x10";
  struct stat info;
  const int file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  if (file < 0 || fstat(file, &info) != 0) return 2;
  const char* bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) return 2;
  const Elf64_Ehdr* header = (const Elf64_Ehdr*)bytes;
  const Elf64_Shdr* sections = (const Elf64_Shdr*)(bytes + header->e_shoff);
  size_t hits = 0;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type == SHT_NOBITS || sections[i].sh_type == SHT_NULL || (sections[i].sh_flags & SHF_EXECINSTR)) continue;
    const char* at = bytes + sections[i].sh_offset;
    const char* const end = at + sections[i].sh_size;
    for (const char* hit; (hit = memmem(at, (size_t)(end - at), magic, sizeof magic)) != NULL; at = hit + sizeof magic) ++hits;
  }
  printf("%zu\n", hits);
  return 0;
}
