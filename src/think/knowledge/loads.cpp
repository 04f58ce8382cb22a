#include "think/knowledge/loads.h"

#include <algorithm>

namespace gpuway {
namespace {

// The number in a library's file name from a CUDA release on.
struct NumberRow {
  std::string_view library;
  CudaVersion since;
  std::string_view number;
};

#include "knowledge/loads_data.inc"

template <class R>
bool holds(const R& row, std::string_view framework, std::string_view system, CudaVersion release) {
  return row.framework == framework && row.system == system && row.since <= release && release < row.before;
}

std::string file_name_of(std::string_view system, std::string_view library, std::string number) {
  if (system != "windows") return "lib" + std::string(library) + ".so." + number;
  std::erase(number, '.');
  return std::string(library) + "64_" + number + ".dll";
}

}  // namespace

std::vector<const LoadRow*> loads_of(std::string_view framework, std::string_view system, CudaVersion release, LoadStage stage) {
  std::vector<const LoadRow*> rows;
  for (const auto& row : kLoads) {
    if (row.stage == stage && holds(row, framework, system, release)) rows.push_back(&row);
  }
  return rows;
}

const HolderRow* holder_of(std::string_view framework, std::string_view system, CudaVersion release) {
  for (const auto& row : kHolders) {
    if (holds(row, framework, system, release)) return &row;
  }
  return nullptr;
}

std::string cuda_library_file(std::string_view system, std::string_view library, CudaVersion cuda) {
  if (cuda.major < 1) return {};
  const NumberRow* best = nullptr;
  bool listed = false, first_is_new = false;   // a library that came with the table's first release or later
  for (const auto& row : kNumbers) {
    if (row.library != library) continue;
    if (!listed) first_is_new = row.since.major > 10;
    listed = true;
    if (row.since <= cuda) best = &row;
  }
  if (!listed || (best == nullptr && first_is_new)) return {};
  return file_name_of(system, library, best != nullptr ? std::string(best->number) : cuda.text());
}

std::string file_of_load(const LoadRow& row, CudaVersion cuda, int cudnn_major) {
  if (row.library.find('.') != std::string_view::npos) return std::string(row.library);
  if (row.library == "cudnn") return file_name_of(row.system, row.library, std::to_string(cudnn_major));
  return cuda_library_file(row.system, row.library, cuda);
}

}  // namespace gpuway
