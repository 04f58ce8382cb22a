#include "sense/platform/driver_child.h"

#include <cstring>
#include <string_view>

#include "base/text.h"
#include "sense/platform/child_process.h"
#include "sense/platform/foreign_code.h"

namespace gpuway {
namespace {

constexpr std::string_view kMark = "__ask-driver";
constexpr int kMaxDevices = 64;

// ---- the child: one line a fact, written at once, so that a crash or a hang still tells how far it came

void tell(std::string_view key, const std::string& value) {
  std::string line(key);
  line += '=';
  for (const char c : value) line += c == '\n' ? ' ' : c;
  line += '\n';
  answer_parent(line);
}
void tell(std::string_view key, long long value) { tell(key, std::to_string(value)); }

template <class Function>
Function symbol(const ForeignLibrary& library, const char* name) {
  Function function = nullptr;
  void* at = library.symbol(name);
  std::memcpy(&function, &at, sizeof function);
  return function;
}

// Entry points and numbers: cuda.h of CUDA 13.0 (shared facts: binaries.md 5.2).
void ask_device(const ForeignLibrary& library, int ordinal) {
  using Get = int (*)(int*, int);
  using Name = int (*)(char*, int, int);
  using Attribute = int (*)(int*, int, int);
  using Memory = int (*)(std::size_t*, int);
  const auto prefix = "device." + std::to_string(ordinal) + ".";
  int device = ordinal;
  tell("step", "cuDeviceGet");
  if (const auto get = symbol<Get>(library, "cuDeviceGet")) get(&device, ordinal);
  tell("step", "cuDeviceGetName");
  char text[256] = {};
  if (const auto name = symbol<Name>(library, "cuDeviceGetName"); name != nullptr && name(text, sizeof text - 1, device) == 0) {
    tell(prefix + "name", text);
  }
  tell("step", "cuDeviceGetAttribute");
  if (const auto attribute = symbol<Attribute>(library, "cuDeviceGetAttribute")) {
    int value = 0;
    if (attribute(&value, 75, device) == 0) tell(prefix + "major", value);
    if (attribute(&value, 76, device) == 0) tell(prefix + "minor", value);
    if (attribute(&value, 16, device) == 0) tell(prefix + "multiprocessors", value);
    if (attribute(&value, 20, device) == 0) tell(prefix + "mode", value);
  }
  tell("step", "cuDeviceTotalMem");
  auto memory = symbol<Memory>(library, "cuDeviceTotalMem_v2");
  if (memory == nullptr) memory = symbol<Memory>(library, "cuDeviceTotalMem");
  std::size_t bytes = 0;
  if (memory != nullptr && memory(&bytes, device) == 0) tell(prefix + "memory", static_cast<long long>(bytes));
  tell("step", "cuDeviceGetPCIBusId");
  std::memset(text, 0, sizeof text);
  if (const auto bus = symbol<Name>(library, "cuDeviceGetPCIBusId"); bus != nullptr && bus(text, sizeof text - 1, device) == 0) {
    tell(prefix + "pci", text);
  }
}

void ask_nvml(const std::string& name) {
  tell("step", "nvml load");
  std::string why;
  const auto library = ForeignLibrary::load(name, why);
  if (!library.loaded()) {
    tell("nvml.load_error", why);
    return;
  }
  tell("nvml.path", library.path());
  // What TensorFlow 2.21 and XLA call before they list a device (shared facts: oracle-linux.md section 2).
  for (const char* wanted : {"nvmlInit_v2", "nvmlDeviceGetHandleByPciBusId_v2"}) {
    if (library.symbol(wanted) == nullptr) tell("nvml.lacks", wanted);
  }
  using Plain = int (*)();
  using Text = int (*)(char*, unsigned);
  using Count = int (*)(unsigned*);
  using ByIndex = int (*)(unsigned, void**);
  using Mig = int (*)(void*, unsigned*, unsigned*);
  using MigCount = int (*)(void*, unsigned*);
  using MigByIndex = int (*)(void*, unsigned, void**);
  const auto init = symbol<Plain>(library, "nvmlInit_v2");
  if (init == nullptr) return;
  tell("step", "nvmlInit_v2");
  const int code = init();
  tell("nvml.init", code);
  if (code != 0) return;
  char text[128] = {};
  tell("step", "nvmlSystemGetDriverVersion");
  if (const auto version = symbol<Text>(library, "nvmlSystemGetDriverVersion"); version != nullptr && version(text, sizeof text - 1) == 0) {
    tell("nvml.driver", text);
  }
  tell("step", "nvmlDeviceGetCount_v2");
  unsigned count = 0;
  const auto ask_count = symbol<Count>(library, "nvmlDeviceGetCount_v2");
  if (ask_count == nullptr || ask_count(&count) != 0) return;
  tell("nvml.count", count);
  const auto by_index = symbol<ByIndex>(library, "nvmlDeviceGetHandleByIndex_v2");
  const auto mig = symbol<Mig>(library, "nvmlDeviceGetMigMode");
  const auto mig_count = symbol<MigCount>(library, "nvmlDeviceGetMaxMigDeviceCount");
  const auto mig_device = symbol<MigByIndex>(library, "nvmlDeviceGetMigDeviceHandleByIndex");
  for (unsigned i = 0; i < count && i < kMaxDevices && by_index != nullptr; ++i) {
    tell("step", "nvmlDeviceGetMigMode");
    void* device = nullptr;
    if (by_index(i, &device) != 0) continue;
    unsigned current = 0, pending = 0;
    int mode = -1;
    if (mig != nullptr && mig(device, &current, &pending) == 0) mode = static_cast<int>(current);
    tell("nvml.mig", mode);
    unsigned most = 0, found = 0;
    if (mode == 1 && mig_count != nullptr && mig_device != nullptr && mig_count(device, &most) == 0) {
      for (unsigned k = 0; k < most && k < 64; ++k) {
        void* instance = nullptr;
        if (mig_device(device, k, &instance) == 0) ++found;
      }
    }
    tell("nvml.mig_instances", found);
  }
}

int run_driver_child(const std::string& libcuda, const std::string& libnvml) {
  prepare_for_foreign_code();
  tell("step", "load");
  std::string why;
  const auto library = ForeignLibrary::load(libcuda, why);
  if (!library.loaded()) {
    tell("load_error", why);
    tell("end", "1");
    return 0;
  }
  tell("loaded", library.path());
  using Version = int (*)(int*);
  using Init = int (*)(unsigned);
  int value = 0;
  tell("step", "cuDriverGetVersion");
  if (const auto version = symbol<Version>(library, "cuDriverGetVersion"); version != nullptr && version(&value) == 0) {
    tell("driver_version", value);
  }
  tell("step", "cuInit");
  const auto init = symbol<Init>(library, "cuInit");
  if (init == nullptr) {
    tell("load_error", "cuInit is not defined");
    tell("end", "1");
    return 0;
  }
  const int code = init(0);
  tell("init", code);
  if (code == 0) {
    tell("step", "cuDeviceGetCount");
    const auto count = symbol<Version>(library, "cuDeviceGetCount");
    value = 0;
    const int count_code = count != nullptr ? count(&value) : -1;
    tell("count_code", count_code);
    tell("count", value);
    for (int i = 0; i < value && i < kMaxDevices; ++i) ask_device(library, i);
  }
  if (!libnvml.empty()) ask_nvml(libnvml);
  tell("end", "1");
  leave_at_once(0);
}

// ---- the parent

DriverDevice& device_of(DriverReport& report, int ordinal) {
  while (static_cast<int>(report.devices.size()) <= ordinal) {
    report.devices.emplace_back();
    report.devices.back().ordinal = static_cast<int>(report.devices.size()) - 1;
  }
  return report.devices[static_cast<std::size_t>(ordinal)];
}

void read_device(DriverReport& report, std::string_view key, std::string_view value) {
  const auto dot = key.find('.');
  const auto ordinal = to_integer(key.substr(0, dot));
  if (dot == std::string_view::npos || !ordinal || *ordinal < 0 || *ordinal >= kMaxDevices) return;
  auto& device = device_of(report, static_cast<int>(*ordinal));
  const auto field = key.substr(dot + 1);
  const auto number = to_integer(value).value_or(0);
  if (field == "name") device.name = value;
  if (field == "major") device.compute_major = static_cast<int>(number);
  if (field == "minor") device.compute_minor = static_cast<int>(number);
  if (field == "multiprocessors") device.multiprocessors = static_cast<int>(number);
  if (field == "mode") device.compute_mode = static_cast<int>(number);
  if (field == "memory") device.memory_bytes = static_cast<std::uint64_t>(number);
  if (field == "pci") device.pci_bus_id = value;
}

void read_nvml(DriverReport& report, std::string_view key, std::string_view value) {
  if (!report.nvml) report.nvml.emplace();
  auto& nvml = *report.nvml;
  const auto number = static_cast<int>(to_integer(value).value_or(0));
  if (key == "path") {
    nvml.path = value;
    nvml.loaded = true;
  }
  if (key == "load_error") nvml.load_error = value;
  if (key == "lacks") nvml.missing_symbols.emplace_back(value);
  if (key == "init") nvml.init_code = number;
  if (key == "driver") nvml.driver_version = std::string(value);
  if (key == "count") nvml.device_count = number;
  if (key == "mig") nvml.mig_modes.push_back(number);
  if (key == "mig_instances") nvml.mig_instances.push_back(number);
}

bool read_report(std::string_view text, DriverReport& report) {
  bool ended = false;
  for (const auto line : split_lines(text)) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto key = line.substr(0, equals), value = line.substr(equals + 1);
    const auto number = static_cast<int>(to_integer(value).value_or(0));
    if (key == "step") report.last_step = value;
    if (key == "loaded") report.loaded = true;
    if (key == "load_error") report.load_error = value;
    if (key == "driver_version") report.driver_version = number;
    if (key == "init") report.init_code = number;
    if (key == "count_code") report.count_code = number;
    if (key == "count") report.device_count = number;
    if (key == "end") ended = true;
    if (key.starts_with("device.")) read_device(report, key.substr(7), value);
    if (key.starts_with("nvml.")) read_nvml(report, key.substr(5), value);
  }
  return ended;
}

DriverReport ask_once(const DriverRequest& request, const std::map<std::string, std::string>& environment) {
  DriverReport report;
  report.path = request.libcuda;
  ProgramRequest program;
  program.arguments = {own_program(), std::string(kMark), request.libcuda, request.libnvml};
  program.time_limit = request.time_limit;
  const auto end = run_child_to_end(program, environment);
  if (!end) {
    report.outcome = DriverReport::Outcome::failed;
    report.detail = end.error().text();
    return report;
  }
  const bool finished = read_report(end->output.out, report);
  if (end->timed_out) {
    report.outcome = DriverReport::Outcome::timed_out;
    report.detail = "no answer within " + std::to_string(request.time_limit.count()) + " ms";
  } else if (!finished) {
    report.outcome = DriverReport::Outcome::crashed;
    report.detail = death_of(end->output.exit_code);
  } else {
    report.outcome = DriverReport::Outcome::finished;
  }
  return report;
}

}  // namespace

DriverReport ask_driver_child(const DriverRequest& request, const std::map<std::string, std::string>& environment) {
  auto report = ask_once(request, environment);
  // Does CUDA_VISIBLE_DEVICES hide something? Ask again without it, but only where the first answer was "nothing".
  if (environment.contains("CUDA_VISIBLE_DEVICES") && report.outcome == DriverReport::Outcome::finished &&
      report.device_count.value_or(0) == 0 && report.loaded) {
    auto without = environment;
    without.erase("CUDA_VISIBLE_DEVICES");
    auto again = request;
    again.libnvml.clear();
    report.device_count_unmasked = ask_once(again, without).device_count.value_or(0);
  }
  return report;
}

int maybe_run_driver_child(const std::vector<std::string>& arguments) {
  if (arguments.size() != 3 || arguments[0] != kMark) return -1;
  return run_driver_child(arguments[1], arguments[2]);
}

}  // namespace gpuway
