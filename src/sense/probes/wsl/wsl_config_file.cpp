#include "sense/probes/wsl/wsl_config_file.h"

#include "think/formats/wsl_config.h"
#include "think/knowledge/wsl_keys.h"

namespace gpuway {

Fact<WslConfig> read_wsl_config(const Host& host, const std::string& path, std::string_view kind) {
  const Source source{Source::Kind::file, path};
  constexpr std::uint64_t limit = 1 << 20;
  const auto bytes = host.read_file(path, limit);
  if (!bytes) return Fact<WslConfig>::from_error(bytes.error(), source);
  auto config = parse_wsl_config(*bytes, kind, wsl_keys());
  config.path = path;
  return Fact<WslConfig>::known(std::move(config), source);
}

}  // namespace gpuway
