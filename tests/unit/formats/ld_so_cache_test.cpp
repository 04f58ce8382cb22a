#include "think/formats/ld_so_cache.h"

#include <gtest/gtest.h>

#include <cstring>

namespace gpuway {
namespace {

// A cache of one x86-64 entry "libx.so" => "/x/libx.so" with this hwcap value.
std::string cache_of(std::uint64_t hwcap) {
  constexpr std::size_t kHeader = 48, kEntry = 24;
  std::string bytes = "glibc-ld.so.cache1.1";
  bytes.resize(kHeader + kEntry, '\0');
  const auto put = [&](std::size_t at, auto value) { std::memcpy(bytes.data() + at, &value, sizeof(value)); };
  put(20, std::uint32_t{1});
  put(28, std::uint8_t{2});  // little endian
  put(kHeader, std::uint32_t{0x0303});
  put(kHeader + 4, static_cast<std::uint32_t>(bytes.size()));
  bytes += "libx.so";
  bytes += '\0';
  put(kHeader + 8, static_cast<std::uint32_t>(bytes.size()));
  bytes += "/x/libx.so";
  bytes += '\0';
  put(kHeader + 16, hwcap);
  return bytes;
}

std::string hwcap_read(std::uint64_t hwcap, std::uint16_t machine = 62) {
  const auto bytes = cache_of(hwcap);
  const auto cache = parse_ld_so_cache(ByteView(bytes), machine);
  if (!cache) return cache.error().text();
  if (cache->entries.empty()) return "passed over";
  return "'" + cache->entries.front().hwcap + "'";
}

// The values are those that ldconfig of glibc 2.36 wrote for folders of these names (`ldconfig -p` shows them).
TEST(LdSoCache, folders_for_some_processors_of_before_glibc_2_37_keep_their_names) {
  EXPECT_EQ(hwcap_read(0), "''");
  EXPECT_EQ(hwcap_read(0x2), "'x86_64'");
  EXPECT_EQ(hwcap_read(0x6), "'avx512_1/x86_64'");
  EXPECT_EQ(hwcap_read(0x0004000000000000), "'haswell'");
  EXPECT_EQ(hwcap_read(0x0004000000000004), "'haswell/avx512_1'");
}

TEST(LdSoCache, entries_for_processors_that_no_loader_takes_are_passed_over) {
  EXPECT_EQ(hwcap_read(0x0001000000000000), "passed over");  // i586
  EXPECT_EQ(hwcap_read(std::uint64_t{1} << 62), "passed over") << "a level that the file does not name";
}

}  // namespace
}  // namespace gpuway
