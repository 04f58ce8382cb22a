#include "think/formats/gpu_code_file.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace gpuway {
namespace {

using Row = GpuCodeSummary::Row;

constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint64_t kMachineOffset = 18, kFlagsOffset = 48;
constexpr std::uint64_t kHead = 65536;

std::optional<Row> cubin(ByteView head) {
  const auto magic = head.number<std::uint32_t>(0);
  const auto elf_class = head.number<std::uint8_t>(4), version = head.number<std::uint8_t>(8);
  const auto machine = head.number<std::uint16_t>(kMachineOffset);
  const auto flags = head.number<std::uint32_t>(kFlagsOffset);
  if (magic != 0x464C457FU || elf_class != 2 || machine != kMachineCuda || !version || !flags) return std::nullopt;
  Row row;
  row.kind = Row::Kind::machine_code;
  row.count = 1;
  const auto low = *flags & 0xFF;
  // The ABI version tells the layout; for one that nobody has seen the old layout's range of architectures does.
  const bool old_layout = *version == 7 || (*version != 8 && low >= 20 && low <= 90);
  row.arch = old_layout ? low : *flags >> 8 & 0xFF;
  if ((*flags & (old_layout ? 0x800U : 0x8U)) != 0) row.variant = 'a';
  return row;
}

// The words behind the first line that begins with `directive`.
std::optional<std::string_view> directive(std::string_view text, std::string_view name) {
  for (const auto line : split_lines(text)) {
    const auto bare = trim(line);
    if (bare.starts_with(name) && bare.size() > name.size() &&
        (bare[name.size()] == ' ' || bare[name.size()] == '\t')) {
      return trim(bare.substr(name.size()));
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto number = to_integer(text);
  return number && *number >= 0 && *number <= 9999 ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

std::optional<Row> ptx(ByteView head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), std::min(head.size(), kHead));
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  const auto version = directive(text, ".version");
  const auto target = directive(text, ".target");
  if (!version || !target) return std::nullopt;
  const auto dot = version->find('.');
  if (dot == std::string_view::npos || !target->starts_with("sm_")) return std::nullopt;
  const auto minor_text = version->substr(dot + 1);
  const auto major = small_number(version->substr(0, dot));
  const auto minor = small_number(minor_text.substr(0, minor_text.find_first_not_of("0123456789")));
  auto name = target->substr(3);
  name = name.substr(0, name.find_first_of(", \t"));
  Row row;
  if (!name.empty() && (name.back() == 'a' || name.back() == 'f')) {
    row.variant = name.back();
    name.remove_suffix(1);
  }
  const auto arch = small_number(name);
  if (!major || !minor || !arch) return std::nullopt;
  row.kind = Row::Kind::ptx;
  row.arch = *arch;
  row.ptx_major = *major;
  row.ptx_minor = *minor;
  row.count = 1;
  return row;
}

}  // namespace

std::optional<GpuCodeSummary::Row> gpu_code_of_file(ByteView head) {
  if (auto row = cubin(head)) return row;
  return ptx(head);
}

}  // namespace gpuway
