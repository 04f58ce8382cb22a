#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace gpuway {

/// One device as the driver library names it.
struct DriverDevice {
  int ordinal = 0;
  std::string name;
  int compute_major = 0, compute_minor = 0;
  std::uint64_t memory_bytes = 0;
  std::string pci_bus_id;  // domain:bus:device.function, or empty
  std::string uuid;        // GPU-… or MIG-…, or empty
  int multiprocessors = 0; // 0 when the driver did not say
  int compute_mode = 0;    // CU_COMPUTEMODE_*: 0 default, 2 prohibited, 3 exclusive process
};

/// What NVML said, asked in the same child after the driver.
struct NvmlReport {
  std::string path;                     // the file that was opened
  bool loaded = false;
  std::string load_error;
  std::vector<std::string> missing_symbols;  // wanted functions that the library does not export
  std::optional<int> init_code;         // nvmlInit_v2; 0 is success, 9 driver not loaded, 18 version mismatch
  std::optional<std::string> driver_version;
  std::optional<int> device_count;
  std::vector<int> mig_modes;           // per device: 0 off, 1 on, -1 not supported
  std::vector<int> mig_instances;       // per device: how many MIG devices exist
};

/// What one libcuda answered, asked in a child process with a time limit. Steps that were not reached stay empty.
struct DriverReport {
  std::string path;                     // the file that was opened
  enum class Outcome : std::uint8_t { finished, timed_out, crashed, failed, not_asked };
  Outcome outcome = Outcome::not_asked;
  std::string detail;                   // signal, or why it could not be asked
  std::string last_step;                // the call that was running when it ended
  bool loaded = false;
  std::string load_error;               // dlopen's own text
  std::optional<int> driver_version;    // cuDriverGetVersion: 12040 is CUDA 12.4
  std::optional<int> init_code;         // cuInit
  std::optional<int> device_count;      // cuDeviceGetCount, after CUDA_VISIBLE_DEVICES
  std::optional<int> count_code;
  std::vector<DriverDevice> devices;
  std::optional<int> device_count_unmasked;  // the same with CUDA_VISIBLE_DEVICES removed, asked in a second child
  std::optional<NvmlReport> nvml;
};

}  // namespace gpuway
