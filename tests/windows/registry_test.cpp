#include "host_contract/contract.h"

namespace gpuway {
namespace {

// planted.reg puts these keys there, by the system's own program.
constexpr const char* kKey = "HKLM/SOFTWARE/GpuwayPlanted";

TEST_F(Contract, values_of_every_kind_are_read) {
  const auto key = host_->read_registry(kKey, RegistryView::bits64);
  if (!key) GTEST_SKIP() << "planted.reg is not there: " << key.error().text();
  const auto& values = key->values;
  EXPECT_EQ(values.at("").text, "default é漢");
  EXPECT_EQ(values.at("Text").text, "C:\\Program Files\\x");
  EXPECT_EQ(values.at("Expand").text, "%SystemRoot%\\x");
  EXPECT_EQ(values.at("Number").number, 0xFFFFFFFE);
  EXPECT_EQ(values.at("Big").number, 0x0102030405060708);
  EXPECT_EQ(values.at("List").list, (std::vector<std::string>{"one", "zwei é", "三"}));
  EXPECT_EQ(values.at("Bytes").kind, RegistryValue::Kind::bytes);
  EXPECT_EQ(values.at("Bytes").text, std::string("\x01\x00\xFF", 3));
  EXPECT_EQ(values.at("Long").text, std::string(6000, 'x'));
  EXPECT_EQ(values.size(), 8U);
  EXPECT_EQ(key->subkeys, (std::vector<std::string>{"Sub One", "三"}));
}

TEST_F(Contract, names_of_keys_are_found_in_any_case_and_both_views_are_apart) {
  if (!host_->read_registry(kKey, RegistryView::bits64)) GTEST_SKIP() << "planted.reg is not there";
  EXPECT_TRUE(host_->read_registry("hklm/software/gpuwayPLANTED/sub one", RegistryView::bits64));
  EXPECT_EQ(host_->read_registry("HKLM/SOFTWARE/GpuwayPlanted32", RegistryView::bits32)->values.at("Side").text, "32");
  EXPECT_EQ(host_->read_registry("HKLM/SOFTWARE/GpuwayPlanted32", RegistryView::bits64).error().code,
            ErrorCode::not_found);
  EXPECT_TRUE(host_->read_registry("HKCU", RegistryView::bits64));
}

TEST_F(Contract, a_key_that_is_not_there_is_not_found) {
  for (const auto* key : {"HKLM/SOFTWARE/GpuwayNone", "HKXX/SOFTWARE", "", "/", "HKLM/SOFTWARE/GpuwayNone/below"}) {
    const auto read = host_->read_registry(key, RegistryView::bits64);
    ASSERT_FALSE(read) << key;
    EXPECT_EQ(read.error().code, ErrorCode::not_found) << key << ": " << read.error().text();
  }
}

}  // namespace
}  // namespace gpuway
