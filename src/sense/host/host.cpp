#include "sense/host/host.h"

namespace gpuway {

Result<RegistryKey> Host::read_registry(const std::string& key, RegistryView) const {
  return make_error(ErrorCode::not_looked, key + ": this machine's registry cannot be read");
}

}  // namespace gpuway
