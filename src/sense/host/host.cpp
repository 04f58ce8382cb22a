#include "sense/host/host.h"

namespace gpuway {

Result<RegistryKey> Host::read_registry(const std::string& key, RegistryView) const {
  return make_error(ErrorCode::not_looked, key + ": this machine's registry cannot be read");
}

Result<std::vector<GraphicsAdapter>> Host::graphics_adapters() const {
  return make_error(ErrorCode::not_looked, "this machine's graphics cannot be asked");
}

Result<ProcessorFeatures> Host::processor() const {
  return make_error(ErrorCode::not_looked, "this machine's processor cannot be asked");
}

}  // namespace gpuway
