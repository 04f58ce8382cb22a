#include "think/routes/paper_machine.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "think/knowledge/cuda.h"
#include "think/knowledge/gpus.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxText = 4096, kMaxGpus = 64;

bool starts(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !std::isalpha(static_cast<unsigned char>(text[word.size()])));
}

// The first number with a point in a text, such as "3.11", or with none: "11".
std::string number_in(std::string_view text) {
  const auto begin = text.find_first_of("0123456789");
  if (begin == std::string_view::npos) return {};
  const auto end = text.find_first_not_of("0123456789.", begin);
  auto number = std::string(text.substr(begin, end == std::string_view::npos ? end : end - begin));
  while (!number.empty() && number.back() == '.') number.pop_back();
  return number;
}

int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

struct WindowsRelease {
  std::string_view name;
  int build;
};
// learn.microsoft.com/windows/release-health
constexpr WindowsRelease kWindows10[] = {{"1709", 16299}, {"1803", 17134}, {"1809", 17763}, {"1903", 18362}, {"1909", 18363}, {"2004", 19041}, {"20h2", 19042}, {"21h1", 19043}, {"21h2", 19044}, {"22h2", 19045}};
constexpr WindowsRelease kWindows11[] = {{"21h2", 22000}, {"22h2", 22621}, {"23h2", 22631}, {"24h2", 26100}, {"25h2", 26200}};

int build_of(std::string_view text) {
  if (const auto at = text.find("build"); at != std::string_view::npos) return leading_number(number_in(text.substr(at)));
  const bool eleven = text.find("11") != std::string_view::npos;
  const auto* begin = eleven ? std::begin(kWindows11) : std::begin(kWindows10);
  const auto* end = eleven ? std::end(kWindows11) : std::end(kWindows10);
  for (const auto* row = begin; row != end; ++row) {
    if (text.find(row->name) != std::string_view::npos) return row->build;
  }
  return eleven ? kWindows11[0].build : 0;   // every Windows 11 is at least the first
}

constexpr std::string_view kNvidiaWords[] = {"nvidia", "geforce", "rtx", "gtx", "quadro", "tesla", "titan", "a100", "h100", "h200", "b200", "l4", "l40", "v100", "t4", "p100", "k80", "mx", "a10", "a40", "gt"};
constexpr std::string_view kAmdWords[] = {"amd", "radeon", "rx", "vega", "instinct"};
constexpr std::string_view kIntelWords[] = {"intel", "arc", "iris", "uhd"};
constexpr std::string_view kLinuxWords[] = {"linux", "ubuntu", "debian", "fedora", "arch", "rocky", "rhel", "centos", "opensuse", "mint", "pop"};

template <std::size_t N>
bool begins_with_any(std::string_view text, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) { return starts(text, word); });
}

// "2x RTX 4090" or "2 × RTX 4090"
std::size_t take_count(std::string_view& text) {
  const auto digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return 1;
  auto rest = trim(text.substr(digits));
  if (rest.starts_with("\xc3\x97")) rest = trim(rest.substr(2));
  else if (rest.starts_with("x ")) rest = trim(rest.substr(2));
  else return 1;
  const auto count = static_cast<std::size_t>(std::max(1, leading_number(text.substr(0, digits))));
  text = rest;
  return std::clamp<std::size_t>(count, 1, kMaxGpus);
}

Status add_gpu(std::string_view part, RouteMachine& machine) {
  const auto count = take_count(part);
  RouteMachine::Gpu gpu;
  gpu.name = std::string(part);
  const auto lower = to_lower(part);
  gpu.vendor = begins_with_any(lower, kAmdWords) ? "amd" : begins_with_any(lower, kIntelWords) ? "intel" : "nvidia";
  if (gpu.vendor == "nvidia") {
    const auto model = find_gpu_named(part);
    if (!model) return make_error(ErrorCode::malformed, "\"" + printable(std::string(part)) + "\": no NVIDIA GPU of this name is known");
    gpu.name = std::string(model->name);
    if (model->architecture != nullptr) gpu.architecture = model->architecture->id;
    if (model->compute_capability) {
      gpu.major = model->compute_capability->major;
      gpu.minor = model->compute_capability->minor;
    }
  }
  for (std::size_t i = 0; i < count && machine.gpus.size() < kMaxGpus; ++i) machine.gpus.push_back(gpu);
  machine.gpus_known = true;
  return Done{};
}

Status add_part(std::string_view part, RouteMachine& machine) {
  const auto lower = to_lower(part);
  auto uncounted = std::string_view(lower);
  take_count(uncounted);
  if (starts(lower, "no gpu") || lower == "cpu" || starts(lower, "cpu only")) {
    machine.gpus_known = true;
  } else if (starts(lower, "driver") || starts(lower, "nvidia driver")) {
    machine.driver = number_in(lower);
    if (!cuda_of_driver(machine.driver)) return make_error(ErrorCode::malformed, "\"" + printable(std::string(part)) + "\": expected a driver version such as 566.36");
  } else if (starts(lower, "windows") || starts(lower, "win")) {
    machine.system = "windows";
    machine.system_name = std::string(part);
    machine.windows_build = build_of(lower);
    if (machine.wsl == "unknown") machine.wsl = "possible";
  } else if (starts(lower, "no wsl")) {
    machine.wsl = "forbidden";
  } else if (starts(lower, "wsl")) {
    machine.wsl = "ready";
    if (machine.system.empty()) machine.system = "windows";
  } else if (begins_with_any(lower, kLinuxWords)) {
    machine.system = "linux";
    machine.system_name = std::string(part);
  } else if (starts(lower, "python") || starts(lower, "py")) {
    const auto number = number_in(lower);
    const auto dot = number.find('.');
    if (dot == std::string::npos) return make_error(ErrorCode::malformed, "\"" + printable(std::string(part)) + "\": expected a version such as python 3.11");
    machine.pythons.push_back(number.substr(0, number.find('.', dot + 1)));
  } else if (starts(lower, "tensorflow") || starts(lower, "torch") || starts(lower, "pytorch") || starts(lower, "jax") || starts(lower, "onnxruntime") || starts(lower, "keras")) {
    const auto name = lower.substr(0, lower.find_first_of(" =<>0123456789"));
    machine.installed.push_back({name == "torch" ? "pytorch" : name, number_in(lower), "", "", false, "", "", {}});
  } else if (begins_with_any(uncounted, kNvidiaWords) || begins_with_any(uncounted, kAmdWords) || begins_with_any(uncounted, kIntelWords)) {
    return add_gpu(part, machine);
  } else {
    return make_error(ErrorCode::malformed, "\"" + printable(std::string(part)) + "\": expected a GPU, a driver, a system, wsl, a Python or a framework with its version");
  }
  return Done{};
}

}  // namespace

Result<RouteMachine> machine_on_paper(std::string_view text) {
  if (text.size() > kMaxText) return make_error(ErrorCode::too_large, std::to_string(text.size()) + " bytes, limit " + std::to_string(kMaxText));
  RouteMachine machine;
  std::string parts(text);
  std::replace(parts.begin(), parts.end(), ';', ',');
  for (const auto part : split(parts, ',')) {
    if (trim(part).empty()) continue;
    if (const auto added = add_part(trim(part), machine); !added) return added.error();
  }
  if (machine.system.empty()) return make_error(ErrorCode::malformed, "no system is named: add \"windows 11\", \"ubuntu 22.04\" or the like");
  return machine;
}

}  // namespace gpuway
