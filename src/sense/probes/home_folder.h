#pragma once

#include <optional>
#include <string>

#include "sense/host/host.h"

namespace gpuway {

/// What programs take for the user's home: HOME, also an empty one; where it is not set (services, cron, `env -i`), what
/// /etc/passwd has for the user of this process. On Windows USERPROFILE. Nothing on a machine that does not run, and for users known elsewhere.
std::optional<std::string> home_folder(const Host& host);

}  // namespace gpuway
