#include "think/model/binary.h"

#include <algorithm>

namespace gpuway {

bool FolderView::holds(std::string_view name) const {
  return std::binary_search(names.begin(), names.end(), name);
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
