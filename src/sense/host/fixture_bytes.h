#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// What a stand-in for an ELF file says of itself. It has no code; its only symbols are the ones named here.
struct ElfStub {
  std::uint16_t machine = 62;  // EM_*: 62 x86-64, 183 AArch64
  bool is_64 = true;           // false: only a header, enough to be passed over
  std::optional<std::string> soname, rpath, runpath, interpreter;
  std::vector<std::string> needed;
  std::vector<std::string> defines, asks;  // symbols without a version
  std::vector<std::string> strings;        // texts that lie somewhere in the file
  std::vector<std::string> gpu_code;       // "sm_80", "sm_90a", "compute_90 8.4" (PTX of ISA 8.4)
};

/// The bytes of such a file.
std::string elf_stub(const ElfStub& stub);

/// What a stand-in for a PE image says of itself. It has no code; it imports one function by number from each DLL, and exports one of that number.
struct PeStub {
  std::uint16_t machine = 0x8664;          // IMAGE_FILE_MACHINE_*: 0x8664 x64, 0x14c x86
  bool is_dll = true;
  std::vector<std::string> imports, delayed_imports;
  std::vector<std::string> asks;           // functions that it wants of its first import
  std::vector<std::string> exports;        // "cudnnCreate", or "name=OTHER.name" for a forwarder; any order
  std::vector<std::string> strings;        // texts that lie somewhere in the file
  std::vector<std::string> gpu_code;       // as in ElfStub; in a section .nv_fatb
  std::string file_version;                // "8.1.1.0", or empty for no version resource
  std::string product_name;
};

/// The bytes of such a file.
std::string pe_stub(const PeStub& stub);

/// One container of GPU code with an image for each row ("sm_80", "compute_90 8.4").
std::string gpu_code_container(const std::vector<std::string>& rows);

/// The bytes of an /etc/ld.so.cache of glibc `release` that names these paths by their file names, in this order.
std::string loader_cache_bytes(const std::vector<std::string>& paths, std::string_view release, std::uint16_t machine);

}  // namespace gpuway
