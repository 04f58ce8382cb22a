// GPU code in any file. What is asked besides "no crash": reading in pieces and reading from memory give the same
// answer.
#include "think/formats/fatbin.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

class PiecewiseSource final : public gpuway::ByteSource {
 public:
  explicit PiecewiseSource(gpuway::ByteView bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  gpuway::Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> out) const override {
    return gpuway::MemorySource(bytes_).read(offset, out);
  }

 private:
  gpuway::ByteView bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const gpuway::ByteView bytes(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto memory = gpuway::summarize_gpu_code(gpuway::MemorySource(bytes));
  const auto pieces = gpuway::summarize_gpu_code(PiecewiseSource(bytes));
  if (memory.has_value() != pieces.has_value()) std::abort();
  if (memory && !(*memory == *pieces)) std::abort();
  return 0;
}
