// Reads a saved Snapshot and does nothing with it: the yardstick for what judging it costs.
//   read_snapshot FILE
#include <fstream>
#include <iostream>
#include <string>

#include "think/model/snapshot_json.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary | std::ios::ate);
  if (!file) return 2;
  std::string text(static_cast<std::size_t>(file.tellg()), '\0');
  file.seekg(0);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const auto snapshot = gpuway::snapshot_from_json(text);
  if (!snapshot) {
    std::cerr << snapshot.error().text() << "\n";
    return 1;
  }
  return snapshot->environments.empty() ? 1 : 0;
}
