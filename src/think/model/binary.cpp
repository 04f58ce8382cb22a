#include "think/model/binary.h"

#include <algorithm>

namespace gpuway {

bool FolderView::holds(std::string_view name) const {
  return std::binary_search(names.begin(), names.end(), name);
}

bool PeSummary::is_cut_off(std::uint64_t file_size) const {
  constexpr std::uint64_t sector = 512;
  return load_end > file_size && load_end - file_size > (sector - file_size % sector) % sector;
}

std::string SymbolCheck::symbol_check_key(const std::string& object, const std::vector<std::string>& scope) {
  std::string key = object;
  for (const auto& path : scope) {
    key += '\n';
    key += path;
  }
  return key;
}

}  // namespace gpuway
