#include "think/model/snapshot.h"

namespace gpuway {

std::string needle_key(const std::string& path, const std::string& text) { return path + '\n' + text; }

void Wants::merge(const Wants& other) {
  folders.insert(other.folders.begin(), other.folders.end());
  binaries.insert(other.binaries.begin(), other.binaries.end());
  gpu_code.insert(other.gpu_code.begin(), other.gpu_code.end());
  texts.insert(other.texts.begin(), other.texts.end());
  symbol_checks.insert(other.symbol_checks.begin(), other.symbol_checks.end());
  import_checks.insert(other.import_checks.begin(), other.import_checks.end());
  needles.insert(other.needles.begin(), other.needles.end());
  driver_reports.insert(other.driver_reports.begin(), other.driver_reports.end());
  nvidia_smi = nvidia_smi || other.nvidia_smi;
}

}  // namespace gpuway
