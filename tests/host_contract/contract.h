#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "host_contract/system_parts.h"
#include "sense/platform/live_host.h"

namespace gpuway {

inline std::filesystem::path native(const std::string& path) {
  return std::filesystem::path(std::u8string(path.begin(), path.end()));
}

/// A folder of its own for one test, and the live host.
class Contract : public testing::Test {
 protected:
  Contract() {
    static int count = 0;
    const auto base = std::filesystem::temp_directory_path() /
                      ("gpuway-contract-" + std::to_string(host_->clock_ms()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(base);
    const auto text = std::filesystem::canonical(base).generic_u8string();
    folder_ = std::string(text.begin(), text.end());
  }
  ~Contract() override {
    std::error_code ignored;
    std::filesystem::remove_all(native(folder_), ignored);
  }

  std::string make(const std::string& name, std::string_view content) const {
    const auto path = folder_ + "/" + name;
    std::filesystem::create_directories(native(path).parent_path());
    std::ofstream(native(path), std::ios::binary) << content;
    return path;
  }

  std::unique_ptr<Host> host_ = make_live_host();
  std::string folder_;
};

/// This program, started again to play a part (see contract_main.cpp).
std::string this_program();
ProgramRequest part(std::vector<std::string> arguments, std::chrono::milliseconds time_limit = std::chrono::seconds(20),
                    std::uint64_t output_limit = 1 << 20);

}  // namespace gpuway
