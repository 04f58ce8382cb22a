// Fatbin containers, and ELF files around them, built from the layouts in the public descriptions; nothing of NVIDIA's.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace fatbin_bytes {

template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

struct Entry {
  std::uint16_t kind = 2;  // 1 PTX, 2 machine code, 8 LTO
  std::uint32_t arch = 80;
  std::uint64_t flags = 0x11;
  std::uint16_t major = 1, minor = 7;
  std::uint64_t payload = 24;
  std::uint32_t header = 64;
};

inline std::string entry(const Entry& e) {
  std::string out;
  put<std::uint16_t>(out, e.kind);
  put<std::uint16_t>(out, 0x0101);
  put<std::uint32_t>(out, e.header);
  put<std::uint64_t>(out, e.payload);
  put<std::uint32_t>(out, 0);
  put<std::uint32_t>(out, 0);
  put<std::uint16_t>(out, e.minor);
  put<std::uint16_t>(out, e.major);
  put<std::uint32_t>(out, e.arch);
  put<std::uint32_t>(out, 0);
  put<std::uint32_t>(out, 0);
  put<std::uint64_t>(out, e.flags);
  put<std::uint64_t>(out, 0);
  put<std::uint64_t>(out, 0);
  out.resize(e.header, '\0');
  return out + std::string(e.payload, '\x5A');
}

inline std::string container(const std::vector<Entry>& entries) {
  std::string body;
  for (const auto& e : entries) body += entry(e);
  std::string out("\x50\xED\x55\xBA\x01\x00\x10\x00", 8);
  put<std::uint64_t>(out, body.size());
  return out + body;
}

struct Section {
  std::string name, bytes;
  std::uint32_t type = 1;   // PROGBITS; 8 is NOBITS
  std::uint64_t flags = 2;  // ALLOC; 4 is EXECINSTR
};

/// A 64-bit ELF file with these sections and a section name table.
inline std::string elf(std::vector<Section> sections) {
  std::string names(1, '\0');
  std::vector<std::uint32_t> name_at;
  sections.push_back({".shstrtab", "", 3, 0});
  for (const auto& s : sections) {
    name_at.push_back(static_cast<std::uint32_t>(names.size()));
    names += s.name + '\0';
  }
  sections.back().bytes = names;
  std::string out(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  out.resize(64, '\0');
  std::vector<std::uint64_t> offsets;
  for (const auto& s : sections) {
    out.resize((out.size() + 7) / 8 * 8, '\0');
    offsets.push_back(out.size());
    if (s.type != 8) out += s.bytes;
  }
  out.resize((out.size() + 7) / 8 * 8, '\0');
  const std::uint64_t table = out.size();
  const auto count = static_cast<std::uint16_t>(sections.size() + 1);
  std::memcpy(out.data() + 40, &table, 8);
  const std::uint16_t size = 64, names_index = static_cast<std::uint16_t>(sections.size());
  std::memcpy(out.data() + 58, &size, 2);
  std::memcpy(out.data() + 60, &count, 2);
  std::memcpy(out.data() + 62, &names_index, 2);
  out.append(64, '\0');
  for (std::size_t i = 0; i < sections.size(); ++i) {
    put<std::uint32_t>(out, name_at[i]);
    put<std::uint32_t>(out, sections[i].type);
    put<std::uint64_t>(out, sections[i].flags);
    put<std::uint64_t>(out, 0);
    put<std::uint64_t>(out, offsets[i]);
    put<std::uint64_t>(out, sections[i].bytes.size());
    put<std::uint64_t>(out, 0);
    put<std::uint64_t>(out, 8);
    put<std::uint64_t>(out, 0);
  }
  return out;
}

/// The head of a cubin: an ELF file of machine 190.
inline std::string cubin(std::uint8_t abi_version, std::uint32_t flags) {
  std::string out(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  out.resize(64, '\0');
  out[7] = abi_version == 7 ? '\x33' : '\x41';
  out[8] = static_cast<char>(abi_version);
  const std::uint16_t machine = 190;
  std::memcpy(out.data() + 18, &machine, 2);
  std::memcpy(out.data() + 48, &flags, 4);
  return out;
}

}  // namespace fatbin_bytes
