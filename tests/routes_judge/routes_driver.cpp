// Resolves routes for many machines in one process: each line of stdin is "MACHINE<tab>FRAMEWORK<tab>VERSIONS<tab>PYTHON<tab>WISHES"
// (wishes: numpy no-wsl no-admin offline windows-only, blanks between them). Each answer is what `gpuway routes --json` prints,
// followed by a record separator; a machine that cannot be read gives an empty record.
#include <iostream>
#include <string>

#include "base/text.h"
#include "say/render/routes_json.h"
#include "think/routes/paper_machine.h"
#include "think/routes/resolve.h"

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const auto parts = gpuway::split(line, '\t');
    if (parts.size() == 5) {
      gpuway::RouteWishes wishes;
      wishes.framework = parts[1];
      wishes.versions = parts[2];
      wishes.python = parts[3];
      for (const auto word : gpuway::split(parts[4], ' ')) {
        wishes.keep_numpy2 |= word == "numpy";
        wishes.no_wsl |= word == "no-wsl";
        wishes.no_admin |= word == "no-admin";
        wishes.offline |= word == "offline";
        wishes.windows_only |= word == "windows-only";
      }
      if (const auto machine = gpuway::machine_on_paper(parts[0])) {
        std::cout << gpuway::render_routes_json(gpuway::resolve_routes(*machine, wishes), *machine, wishes, "0", "0");
      }
    }
    std::cout << '\x1e';
  }
}
