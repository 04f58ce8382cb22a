#include "sense/platform/windows/graphics_child.h"

#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "sense/platform/child_process.h"
#include "sense/platform/foreign_code.h"
#include "sense/platform/windows/native.h"

// Behind windows_api.h.
#include <dxgi.h>

namespace gpuway {
namespace {

constexpr std::string_view kMark = "__ask-graphics";
constexpr UINT kMaxAdapters = 32;
constexpr std::chrono::milliseconds kTimeLimit{10000};

// ---- the child: one line a fact

void tell(std::string_view key, const std::string& value) {
  std::string line = std::string(key) + "=";
  for (const char c : value) line += c == '\n' ? ' ' : c;
  answer_parent(line + "\n");
}
void tell(std::string_view key, std::uint64_t value) { tell(key, std::to_string(value)); }

std::string hex(unsigned long value) {
  char text[16];
  std::snprintf(text, sizeof text, "%08lx", value);
  return text;
}

void tell_adapter(IDXGIAdapter1& adapter) {
  DXGI_ADAPTER_DESC1 about{};
  if (adapter.GetDesc1(&about) != S_OK) return;
  const std::wstring_view name(about.Description, std::size(about.Description));
  tell("adapter", narrow(name.substr(0, name.find(L'\0'))));
  tell("vendor", about.VendorId);
  tell("device", about.DeviceId);
  tell("dedicated_memory", about.DedicatedVideoMemory);
  tell("shared_memory", about.SharedSystemMemory);
  tell("luid", hex(static_cast<unsigned long>(about.AdapterLuid.HighPart)) + ":" + hex(about.AdapterLuid.LowPart));
  tell("software", (about.Flags & DXGI_ADAPTER_FLAG_SOFTWARE) != 0 ? 1U : 0U);
  LARGE_INTEGER version{};
  if (adapter.CheckInterfaceSupport(__uuidof(IDXGIDevice), &version) == S_OK) {
    const auto parts = static_cast<std::uint64_t>(version.QuadPart);
    const auto part = [&](int shift) { return std::to_string((parts >> shift) & 0xFFFF); };
    tell("driver_version", part(48) + "." + part(32) + "." + part(16) + "." + part(0));
  }
}

int run_graphics_child() {
  prepare_for_foreign_code();
  std::string why;
  const auto library = ForeignLibrary::load("dxgi.dll", why);
  using Create = HRESULT(WINAPI*)(REFIID, void**);
  Create create = nullptr;
  if (library.loaded()) {
    void* const at = library.symbol("CreateDXGIFactory1");
    std::memcpy(&create, &at, sizeof create);
  }
  IDXGIFactory1* factory = nullptr;
  if (create == nullptr) {
    tell("lacks", why.empty() ? "CreateDXGIFactory1" : why);
  } else if (const auto code = create(__uuidof(IDXGIFactory1), reinterpret_cast<void**>(&factory)); code != S_OK) {
    tell("fault", "CreateDXGIFactory1: 0x" + hex(static_cast<unsigned long>(code)));
  } else {
    for (UINT i = 0; i < kMaxAdapters; ++i) {
      IDXGIAdapter1* adapter = nullptr;
      if (factory->EnumAdapters1(i, &adapter) != S_OK) break;
      tell_adapter(*adapter);
    }
  }
  tell("end", 1U);
  leave_at_once(0);
}

// ---- the parent

void read_field(GraphicsAdapter& adapter, std::string_view key, std::string_view value) {
  const auto number = static_cast<std::uint64_t>(to_integer(value).value_or(0));
  if (key == "vendor") adapter.vendor = static_cast<std::uint32_t>(number);
  if (key == "device") adapter.device = static_cast<std::uint32_t>(number);
  if (key == "dedicated_memory") adapter.dedicated_memory = number;
  if (key == "shared_memory") adapter.shared_memory = number;
  if (key == "luid") adapter.luid = value;
  if (key == "software") adapter.software = number != 0;
  if (key == "driver_version") adapter.driver_version = value;
}

}  // namespace

Result<std::vector<GraphicsAdapter>> ask_graphics_child(const std::map<std::string, std::string>& environment) {
  ProgramRequest program;
  program.arguments = {own_program(), std::string(kMark)};
  program.time_limit = kTimeLimit;
  GPUWAY_TRY_ASSIGN(const auto output, run_child(program, environment));
  std::vector<GraphicsAdapter> adapters;
  bool ended = false;
  for (const auto line : split_lines(output.out)) {
    const auto equals = std::min(line.find('='), line.size());
    const auto key = line.substr(0, equals), value = line.substr(std::min(equals + 1, line.size()));
    if (key == "lacks") return make_error(ErrorCode::not_found, "dxgi.dll: " + std::string(value));
    if (key == "fault") return make_error(ErrorCode::tool_failed, std::string(value));
    if (key == "end") ended = true;
    if (key == "adapter") adapters.emplace_back().name = value;
    if (!adapters.empty()) read_field(adapters.back(), key, value);
  }
  if (!ended) return make_error(ErrorCode::crashed, death_of(output.exit_code));
  return adapters;
}

int maybe_run_graphics_child(const std::vector<std::string>& arguments) {
  return arguments.size() == 1 && arguments[0] == kMark ? run_graphics_child() : -1;
}

}  // namespace gpuway
