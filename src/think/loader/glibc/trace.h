#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "think/loader/glibc/glibc_loader.h"

namespace gpuway {

/// Collects the places of one search; only made when the search has failed and is told about.
struct GlibcLoader::Trace {
  std::vector<SearchedPlace> places;
  void add(std::string_view rule, const std::string& path, std::string_view outcome) {
    places.push_back({std::string(rule), path, std::string(outcome)});
  }
};

}  // namespace gpuway
