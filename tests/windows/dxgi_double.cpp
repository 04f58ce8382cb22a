// A dxgi.dll that lists two adapters, or misbehaves as the variable GPUWAY_DOUBLE says.
#define INITGUID
#include <windows.h>
// Behind windows.h.
#include <dxgi.h>

#include <cstdlib>
#include <cstring>
#include <cwchar>

namespace {

bool behaves(const char* how) {
  const char* chosen = std::getenv("GPUWAY_DOUBLE");
  return chosen != nullptr && std::strcmp(chosen, how) == 0;
}

struct Adapter final : IDXGIAdapter1 {
  explicit Adapter(UINT number) : number_(number) {}
  HRESULT WINAPI QueryInterface(REFIID, void**) override { return E_NOINTERFACE; }
  ULONG WINAPI AddRef() override { return 1; }
  ULONG WINAPI Release() override { return 1; }
  HRESULT WINAPI SetPrivateData(REFGUID, UINT, const void*) override { return E_NOTIMPL; }
  HRESULT WINAPI SetPrivateDataInterface(REFGUID, const IUnknown*) override { return E_NOTIMPL; }
  HRESULT WINAPI GetPrivateData(REFGUID, UINT*, void*) override { return E_NOTIMPL; }
  HRESULT WINAPI GetParent(REFIID, void**) override { return E_NOTIMPL; }
  HRESULT WINAPI EnumOutputs(UINT, IDXGIOutput**) override { return DXGI_ERROR_NOT_FOUND; }
  HRESULT WINAPI GetDesc(DXGI_ADAPTER_DESC*) override { return E_NOTIMPL; }
  HRESULT WINAPI CheckInterfaceSupport(REFGUID, LARGE_INTEGER* version) override {
    if (number_ != 0) return DXGI_ERROR_UNSUPPORTED;
    version->QuadPart = (32LL << 48) | (0LL << 32) | (15LL << 16) | 6636;
    return S_OK;
  }
  HRESULT WINAPI GetDesc1(DXGI_ADAPTER_DESC1* out) override {
    *out = {};
    std::wcscpy(out->Description, number_ == 0 ? L"NVIDIA Double \u6F22" : L"Microsoft Basic Render Driver");
    out->VendorId = number_ == 0 ? 0x10DE : 0x1414;
    out->DeviceId = number_ == 0 ? 0x2504 : 0x8C;
    out->DedicatedVideoMemory = number_ == 0 ? SIZE_T{12} << 30 : 0;
    out->AdapterLuid = {0xD3F1 + number_, 1};
    out->Flags = number_ == 0 ? 0 : static_cast<UINT>(DXGI_ADAPTER_FLAG_SOFTWARE);
    return S_OK;
  }

 private:
  UINT number_;
};

struct Factory final : IDXGIFactory1 {
  HRESULT WINAPI QueryInterface(REFIID, void**) override { return E_NOINTERFACE; }
  ULONG WINAPI AddRef() override { return 1; }
  ULONG WINAPI Release() override { return 1; }
  HRESULT WINAPI SetPrivateData(REFGUID, UINT, const void*) override { return E_NOTIMPL; }
  HRESULT WINAPI SetPrivateDataInterface(REFGUID, const IUnknown*) override { return E_NOTIMPL; }
  HRESULT WINAPI GetPrivateData(REFGUID, UINT*, void*) override { return E_NOTIMPL; }
  HRESULT WINAPI GetParent(REFIID, void**) override { return E_NOTIMPL; }
  HRESULT WINAPI EnumAdapters(UINT, IDXGIAdapter**) override { return E_NOTIMPL; }
  HRESULT WINAPI MakeWindowAssociation(HWND, UINT) override { return E_NOTIMPL; }
  HRESULT WINAPI GetWindowAssociation(HWND*) override { return E_NOTIMPL; }
  HRESULT WINAPI CreateSwapChain(IUnknown*, DXGI_SWAP_CHAIN_DESC*, IDXGISwapChain**) override { return E_NOTIMPL; }
  HRESULT WINAPI CreateSoftwareAdapter(HMODULE, IDXGIAdapter**) override { return E_NOTIMPL; }
  BOOL WINAPI IsCurrent() override { return TRUE; }
  HRESULT WINAPI EnumAdapters1(UINT number, IDXGIAdapter1** out) override {
    if (number > 1) return DXGI_ERROR_NOT_FOUND;
    *out = new Adapter(number);
    return S_OK;
  }
};

}  // namespace

extern "C" __declspec(dllexport) HRESULT WINAPI CreateDXGIFactory1(REFIID wanted, void** out) {
  if (behaves("refuse")) return static_cast<HRESULT>(0x887A0004);
  if (behaves("crash")) ::RaiseException(EXCEPTION_ACCESS_VIOLATION, EXCEPTION_NONCONTINUABLE, 0, nullptr);
  if (!::IsEqualGUID(wanted, __uuidof(IDXGIFactory1))) return E_NOINTERFACE;
  *out = static_cast<IDXGIFactory1*>(new Factory);
  return S_OK;
}
