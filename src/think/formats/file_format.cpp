#include "think/formats/file_format.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace gpuway {
namespace {

using std::string_view_literals::operator""sv;

struct Magic {
  std::string_view bytes, format;
};

// Sources: the ELF and PE specifications, <mach-o/loader.h> and <mach-o/fat.h>, PKWARE's APPNOTE 4.3, RFC 1952, ar(5),
// LLVM's BitCodeFormat, the specification of Git LFS' pointer files.
constexpr std::array kMagics{
    Magic{"\x7f" "ELF"sv, "elf"},
    Magic{"MZ"sv, "pe"},
    Magic{"\xCF\xFA\xED\xFE"sv, "mach-o"},
    Magic{"\xCE\xFA\xED\xFE"sv, "mach-o"},
    Magic{"\xCA\xFE\xBA\xBE"sv, "mach-o"},
    Magic{"PK\x03\x04"sv, "zip"},
    Magic{"PK\x05\x06"sv, "zip"},
    Magic{"\x1F\x8B"sv, "gzip"},
    Magic{"!<arch>\n"sv, "ar"},
    Magic{"!<thin>\n"sv, "ar"},
    Magic{"BC\xC0\xDE"sv, "llvm-bitcode"},
    Magic{"version https://git-lfs.github.com/spec/"sv, "git-lfs-pointer"},
    Magic{"#!"sv, "script"},
};

bool is_text(std::string_view head) {
  return std::none_of(head.begin(), head.end(), [](char sign) {
    const auto code = static_cast<unsigned char>(sign);
    return (code < 0x20 && code != '\t' && code != '\n' && code != '\r' && code != '\f') || code == 0x7F;
  });
}

// What ld takes as a script in the place of a library begins with a comment or one of its commands (ld's manual, 3.1).
bool is_linker_script(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  text.remove_prefix(start);
  if (text.starts_with("/* GNU ld script")) return true;
  constexpr std::array commands{"INPUT("sv, "INPUT ("sv, "GROUP("sv, "GROUP ("sv, "OUTPUT_FORMAT("sv};
  return std::any_of(commands.begin(), commands.end(), [&](auto command) { return text.starts_with(command); });
}

}  // namespace

std::string_view format_of_file(ByteView head) {
  constexpr std::uint64_t enough = 512;
  const std::string_view bytes(reinterpret_cast<const char*>(head.data()), std::min(head.size(), enough));
  if (bytes.empty()) return "empty";
  for (const auto& magic : kMagics) {
    if (bytes.starts_with(magic.bytes)) return magic.format;
  }
  if (!is_text(bytes)) return "unknown";
  return is_linker_script(bytes) ? "linker-script" : "text";
}

}  // namespace gpuway
