#include "sense/platform/windows/processor.h"

#include <cpuid.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "sense/platform/windows/windows_api.h"

namespace gpuway {
namespace {

struct Registers {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(std::uint32_t leaf) {
  Registers out;
  __cpuid_count(leaf, 0, out.eax, out.ebx, out.ecx, out.edx);
  return out;
}

// Bits of XCR0: which registers the system saves when it switches between programs. Without them the instructions fault.
constexpr std::uint64_t kAvxState = 0x06, kAvx512State = 0xE6;

std::uint64_t saved_state() {
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

enum class Word : std::uint8_t { ecx1, edx1, ebx7, ecx7 };

struct Flag {
  std::string_view name;   // as /proc/cpuinfo has it
  Word word;
  unsigned bit;
  std::uint64_t state;     // of XCR0
};

// Intel SDM volume 2, CPUID, leaves 1 and 7.
constexpr Flag kFlags[] = {
    {"sse", Word::edx1, 25, 0},
    {"sse2", Word::edx1, 26, 0},
    {"pni", Word::ecx1, 0, 0},
    {"ssse3", Word::ecx1, 9, 0},
    {"sse4_1", Word::ecx1, 19, 0},
    {"sse4_2", Word::ecx1, 20, 0},
    {"popcnt", Word::ecx1, 23, 0},
    {"aes", Word::ecx1, 25, 0},
    {"hypervisor", Word::ecx1, 31, 0},
    {"bmi1", Word::ebx7, 3, 0},
    {"bmi2", Word::ebx7, 8, 0},
    {"avx", Word::ecx1, 28, kAvxState},
    {"f16c", Word::ecx1, 29, kAvxState},
    {"fma", Word::ecx1, 12, kAvxState},
    {"avx2", Word::ebx7, 5, kAvxState},
    {"avx512f", Word::ebx7, 16, kAvx512State},
    {"avx512dq", Word::ebx7, 17, kAvx512State},
    {"avx512cd", Word::ebx7, 28, kAvx512State},
    {"avx512bw", Word::ebx7, 30, kAvx512State},
    {"avx512vl", Word::ebx7, 31, kAvx512State},
    {"avx512_vnni", Word::ecx7, 11, kAvx512State},
};

std::string text_of(std::uint32_t first, std::uint32_t second, std::uint32_t third) {
  std::string out;
  for (const auto word : {first, second, third}) {
    for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((word >> shift) & 0xFFU);
  }
  while (!out.empty() && (out.back() == '\0' || out.back() == ' ')) out.pop_back();
  // A signature is printable; what is not would only garble the report.
  std::erase_if(out, [](char c) { return c < ' ' || c > '~'; });
  return out;
}

}  // namespace

ProcessorFeatures read_processor() {
  constexpr std::uint32_t has_xgetbv = 1U << 27, has_hypervisor = 1U << 31;
  ProcessorFeatures out;
  const auto one = cpuid(1);
  const auto seven = cpuid(0).eax >= 7 ? cpuid(7) : Registers{};
  const auto saved = (one.ecx & has_xgetbv) != 0 ? saved_state() : 0;
  for (const auto& flag : kFlags) {
    const auto word = flag.word == Word::ecx1   ? one.ecx
                      : flag.word == Word::edx1 ? one.edx
                      : flag.word == Word::ebx7 ? seven.ebx
                                                : seven.ecx;
    if (((word >> flag.bit) & 1U) != 0 && (saved & flag.state) == flag.state) out.flags.emplace_back(flag.name);
  }
  std::sort(out.flags.begin(), out.flags.end());
  if ((one.ecx & has_hypervisor) != 0) {
    const auto leaf = cpuid(0x40000000);
    out.hypervisor = text_of(leaf.ebx, leaf.ecx, leaf.edx);
    // CreatePartitions: only the root partition has this right (Hypervisor Top Level Functional Specification, 2.4).
    out.root_partition = out.hypervisor == "Microsoft Hv" && leaf.eax >= 0x40000003 && (cpuid(0x40000003).ebx & 1U) != 0;
    if (out.hypervisor.empty()) out.hypervisor = "unknown";
  }
  constexpr DWORD firmware_virtualization = 21;   // PF_VIRT_FIRMWARE_ENABLED
  out.virtualization = ::IsProcessorFeaturePresent(firmware_virtualization) != 0;
  return out;
}

}  // namespace gpuway
