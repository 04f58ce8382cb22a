#include "sense/probes/graphics.h"

namespace gpuway {

void collect_graphics_adapters(const Host& host, Snapshot& snapshot) {
  using Adapters = Fact<std::vector<GraphicsAdapter>>;
  const Source source{Source::Kind::library_call, "CreateDXGIFactory1"};
  auto adapters = host.graphics_adapters();
  if (!snapshot.windows) snapshot.windows.emplace();
  snapshot.windows->graphics_adapters =
      adapters ? Adapters::known(adapters.take(), source) : Adapters::from_error(adapters.error(), source);
}

}  // namespace gpuway
