#pragma once

#include <string>
#include <string_view>

#include "sense/host/host.h"
#include "think/model/wsl.h"

namespace gpuway {

/// A settings file of WSL at this path, read as its `kind` ("wslconfig" or "wsl.conf"); absent when there is none.
Fact<WslConfig> read_wsl_config(const Host& host, const std::string& path, std::string_view kind);

}  // namespace gpuway
