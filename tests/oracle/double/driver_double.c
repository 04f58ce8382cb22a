/* libcuda.so.1 of a machine that does not exist: answers as the GPU and driver named in double.h's settings.
 *
 * Device memory is host memory; kernels are accepted and not run. DRIVER_EXPORTS (for example 12040) leaves out the
 * functions that a driver of that age did not have, because frameworks tell the age by them.
 * With -DSTUB_DRIVER it is the toolkit's link-time stub instead: it loads, and cuInit answers 34. */
#define _GNU_SOURCE
#include "double.h"

#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef DRIVER_EXPORTS
#define DRIVER_EXPORTS 99999
#endif

enum { ok = 0, invalid_value = 1, not_initialized = 3, stub_library = 34, no_device = 100, invalid_device = 101,
       not_found = 500, not_supported = 801 };

static double_settings settings;
static int initialized;
static int visible[64];
static int visible_count;

/* CUDA_VISIBLE_DEVICES as the driver reads it: indices or UUID beginnings; the first one that fits nothing ends the list. */
static void read_visible(void) {
  visible_count = 0;
  const char* list = getenv("CUDA_VISIBLE_DEVICES");
  if (!list) {
    for (int i = 0; i < settings.count && i < 64; i++) visible[visible_count++] = i;
    return;
  }
  char copy[1024];
  snprintf(copy, sizeof copy, "%s", list);
  char* rest = copy;
  for (char* item = strsep(&rest, ","); item; item = strsep(&rest, ",")) {
    int device = -1;
    while (*item == ' ') item++;
    if (!strncmp(item, "GPU-", 4)) {
      for (int i = 0; i < settings.count; i++) {
        char uuid[48];
        double_uuid_text(i, uuid);
        if (!strncmp(item, uuid, strlen(item))) { device = i; break; }
      }
    } else {
      char* end;
      long index = strtol(item, &end, 10);
      if (end != item && index >= 0 && index < settings.count) device = (int)index;
    }
    if (device < 0 || visible_count == 64) break;
    visible[visible_count++] = device;
  }
}

int cuInit(unsigned flags) {
  (void)flags;
#ifdef STUB_DRIVER
  return stub_library;
#endif
  double_read(&settings);
  if (settings.cuinit_hang) sleep((unsigned)settings.cuinit_hang);
  if (settings.cuinit_crash) { signal(SIGSEGV, SIG_DFL); raise(SIGSEGV); }
  if (settings.cuinit) return settings.cuinit;
  read_visible();
  if (!visible_count) return no_device;
  initialized = 1;
  return ok;
}

int cuDriverGetVersion(int* version) {
#ifdef STUB_DRIVER
  return stub_library;
#endif
  double_read(&settings);
  *version = settings.driver_version;
  return ok;
}

int cuGetErrorName(int code, const char** text) {
  switch (code) {
    case 0: *text = "CUDA_SUCCESS"; break;
    case 3: *text = "CUDA_ERROR_NOT_INITIALIZED"; break;
    case 34: *text = "CUDA_ERROR_STUB_LIBRARY"; break;
    case 100: *text = "CUDA_ERROR_NO_DEVICE"; break;
    case 101: *text = "CUDA_ERROR_INVALID_DEVICE"; break;
    case 803: *text = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"; break;
    case 804: *text = "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"; break;
    case 999: *text = "CUDA_ERROR_UNKNOWN"; break;
    default: *text = "CUDA_ERROR_OF_THE_DOUBLE";
  }
  return ok;
}
int cuGetErrorString(int code, const char** text) { return cuGetErrorName(code, text); }
/* The runtime's authenticity check of the driver is the vendor's business: never answered. */
int cuGetExportTable(const void** table, const void* id) { (void)id; *table = NULL; return not_found; }

#ifdef STUB_DRIVER
/* The stub exports what a driver exports; these are the ones that frameworks look up before they call cuInit. */
#define REFUSES(name) int name(void) { return stub_library; }
REFUSES(cuDeviceGetCount) REFUSES(cuDeviceGet) REFUSES(cuDeviceGetName) REFUSES(cuDeviceGetAttribute) REFUSES(cuDeviceTotalMem_v2)
REFUSES(cuDeviceGetPCIBusId) REFUSES(cuDeviceGetUuid) REFUSES(cuGetProcAddress) REFUSES(cuGetProcAddress_v2) REFUSES(cuModuleLoadData)
REFUSES(cuModuleUnload) REFUSES(cuModuleGetFunction) REFUSES(cuFuncSetAttribute) REFUSES(cuFuncSetCacheConfig) REFUSES(cuLaunchKernel)
REFUSES(cuLinkCreate_v2) REFUSES(cuLinkAddData_v2) REFUSES(cuLinkAddFile_v2) REFUSES(cuLinkComplete) REFUSES(cuLinkDestroy)
REFUSES(cuLaunchCooperativeKernel) REFUSES(cuTensorMapEncodeTiled)
#else
#define NEED_INIT if (!initialized) return not_initialized
#define NEED_DEVICE(d) NEED_INIT; if ((d) < 0 || (d) >= visible_count) return invalid_device

int cuDeviceGetCount(int* count) { NEED_INIT; *count = visible_count; return ok; }
int cuDeviceGet(int* device, int ordinal) { NEED_DEVICE(ordinal); *device = ordinal; return ok; }
int cuDeviceGetName(char* name, int size, int device) { NEED_DEVICE(device); snprintf(name, (size_t)size, "%s", settings.name); return ok; }
int cuDeviceGetUuid(unsigned char* uuid, int device) { NEED_DEVICE(device); double_uuid(visible[device], uuid); return ok; }
int cuDeviceGetUuid_v2(unsigned char* uuid, int device) { return cuDeviceGetUuid(uuid, device); }
int cuDeviceTotalMem_v2(size_t* bytes, int device) { NEED_DEVICE(device); *bytes = (size_t)settings.memory_mib << 20; return ok; }
int cuDeviceComputeCapability(int* major, int* minor, int device) { NEED_DEVICE(device); *major = settings.cc_major; *minor = settings.cc_minor; return ok; }
int cuDeviceGetPCIBusId(char* text, int size, int device) { NEED_DEVICE(device); snprintf(text, (size_t)size, "0000:%02X:00.0", visible[device] + 1); return ok; }
int cuDeviceGetByPCIBusId(int* device, const char* text) {
  NEED_INIT;
  for (int i = 0; i < visible_count; i++) { char id[32]; snprintf(id, sizeof id, "0000:%02X:00.0", visible[i] + 1); if (!strcasecmp(id, text)) { *device = i; return ok; } }
  return invalid_device;
}
int cuDeviceCanAccessPeer(int* can, int a, int b) { NEED_DEVICE(a); NEED_DEVICE(b); *can = 0; return ok; }
int cuDeviceGetP2PAttribute(int* value, int attribute, int a, int b) { (void)attribute; NEED_DEVICE(a); NEED_DEVICE(b); *value = 0; return ok; }
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  NEED_DEVICE(device);
  switch (attribute) {
    case 1: *value = 1024; break;                                      /* threads a block */
    case 2: case 3: *value = 1024; break; case 4: *value = 64; break;  /* block x, y, z */
    case 5: *value = 2147483647; break; case 6: case 7: *value = 65535; break;
    case 8: *value = 49152; break; case 9: *value = 65536; break;
    case 10: *value = 32; break; case 11: *value = 2147483647; break; case 12: *value = 65536; break;
    case 13: *value = 1410000; break; case 16: *value = 108; break;
    case 33: *value = visible[device] + 1; break; case 34: *value = 0; break; case 50: *value = 0; break;
    case 36: *value = 1215000; break; case 37: *value = 5120; break; case 38: *value = 41943040; break;
    case 39: *value = 2048; break; case 41: *value = 1; break;
    case 75: *value = settings.cc_major; break; case 76: *value = settings.cc_minor; break;
    case 81: *value = 167936; break; case 82: *value = 65536; break; case 97: *value = 166912; break;
    case 102: *value = 1; break; case 106: *value = 32; break;
    default: *value = 0;
  }
  return ok;
}

/* Contexts, streams and events are bare handles. */
static int current_context;
static int handle_of(void** out) { *out = (void*)&current_context; return ok; }
int cuDevicePrimaryCtxGetState(int d, unsigned* flags, int* active) { NEED_DEVICE(d); *flags = 0; *active = 0; return ok; }
int cuDevicePrimaryCtxRetain(void** c, int d) { NEED_DEVICE(d); return handle_of(c); }
int cuDevicePrimaryCtxRelease_v2(int d) { (void)d; return ok; }
int cuDevicePrimaryCtxSetFlags_v2(int d, unsigned f) { (void)d; (void)f; return ok; }
int cuCtxGetCurrent(void** c) { NEED_INIT; return handle_of(c); }
int cuCtxSetCurrent(void* c) { (void)c; return ok; }
int cuCtxGetDevice(int* d) { *d = 0; return ok; }
int cuCtxPushCurrent_v2(void* c) { (void)c; return ok; }
int cuCtxPopCurrent_v2(void** c) { return handle_of(c); }
int cuCtxCreate_v2(void** c, unsigned f, int d) { (void)f; NEED_DEVICE(d); return handle_of(c); }
int cuCtxDestroy_v2(void* c) { (void)c; return ok; }
int cuCtxSynchronize(void) { return ok; }
int cuCtxGetStreamPriorityRange(int* low, int* high) { if (low) *low = 0; if (high) *high = 0; return ok; }
int cuCtxEnablePeerAccess(void* c, unsigned f) { (void)c; (void)f; return not_supported; }
int cuStreamCreate(void** s, unsigned f) { (void)f; return handle_of(s); }
int cuStreamCreateWithPriority(void** s, unsigned f, int p) { (void)f; (void)p; return handle_of(s); }
int cuStreamDestroy_v2(void* s) { (void)s; return ok; }
int cuStreamSynchronize(void* s) { (void)s; return ok; }
int cuStreamQuery(void* s) { (void)s; return ok; }
int cuStreamWaitEvent(void* s, void* e, unsigned f) { (void)s; (void)e; (void)f; return ok; }
int cuStreamGetPriority(void* s, int* p) { (void)s; *p = 0; return ok; }
int cuStreamGetCtx(void* s, void** c) { (void)s; return handle_of(c); }
int cuLaunchHostFunc(void* s, void (*f)(void*), void* data) { (void)s; f(data); return ok; }
int cuEventCreate(void** e, unsigned f) { (void)f; return handle_of(e); }
int cuEventDestroy_v2(void* e) { (void)e; return ok; }
int cuEventRecord(void* e, void* s) { (void)e; (void)s; return ok; }
int cuEventQuery(void* e) { (void)e; return ok; }
int cuEventSynchronize(void* e) { (void)e; return ok; }
int cuEventElapsedTime(float* ms, void* a, void* b) { (void)a; (void)b; *ms = 0.01f; return ok; }

int cuMemGetInfo_v2(size_t* free_bytes, size_t* total) { *total = (size_t)settings.memory_mib << 20; *free_bytes = *total - (512ul << 20); return ok; }
static int take(void** p, size_t n) {
  *p = mmap(NULL, n ? n : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return *p == MAP_FAILED ? 2 : ok;
}
int cuMemAlloc_v2(void** p, size_t n) { return take(p, n); }
int cuMemAllocManaged(void** p, size_t n, unsigned f) { (void)f; return take(p, n); }
int cuMemFree_v2(void* p) { (void)p; return ok; }
int cuMemHostAlloc(void** p, size_t n, unsigned f) { (void)f; return take(p, n); }
int cuMemAllocHost_v2(void** p, size_t n) { return take(p, n); }
int cuMemFreeHost(void* p) { (void)p; return ok; }
int cuMemHostRegister_v2(void* p, size_t n, unsigned f) { (void)p; (void)n; (void)f; return ok; }
int cuMemHostUnregister(void* p) { (void)p; return ok; }
int cuMemHostGetDevicePointer_v2(void** d, void* p, unsigned f) { (void)f; *d = p; return ok; }
int cuMemcpyHtoD_v2(void* d, const void* s, size_t n) { memcpy(d, s, n); return ok; }
int cuMemcpyDtoH_v2(void* d, const void* s, size_t n) { memcpy(d, s, n); return ok; }
int cuMemcpyDtoD_v2(void* d, const void* s, size_t n) { memmove(d, s, n); return ok; }
int cuMemcpyHtoDAsync_v2(void* d, const void* s, size_t n, void* q) { (void)q; memcpy(d, s, n); return ok; }
int cuMemcpyDtoHAsync_v2(void* d, const void* s, size_t n, void* q) { (void)q; memcpy(d, s, n); return ok; }
int cuMemcpyDtoDAsync_v2(void* d, const void* s, size_t n, void* q) { (void)q; memmove(d, s, n); return ok; }
int cuMemsetD8_v2(void* d, unsigned char v, size_t n) { memset(d, v, n); return ok; }
int cuMemsetD32_v2(uint32_t* d, uint32_t v, size_t n) { while (n--) *d++ = v; return ok; }
int cuMemsetD8Async(void* d, unsigned char v, size_t n, void* q) { (void)q; memset(d, v, n); return ok; }
int cuMemsetD32Async(uint32_t* d, uint32_t v, size_t n, void* q) { (void)q; return cuMemsetD32_v2(d, v, n); }
int cuMemGetAddressRange_v2(void** base, size_t* n, void* p) { *base = p; *n = 0; return ok; }
int cuMemGetAllocationGranularity(size_t* n, const void* prop, int option) { (void)prop; (void)option; *n = 2ul << 20; return ok; }
int cuMemCreate(void** h, size_t n, const void* prop, unsigned long long f) { (void)n; (void)prop; (void)f; return handle_of(h); }
int cuMemRelease(void* h) { (void)h; return ok; }
int cuMemAddressReserve(void** p, size_t n, size_t align, void* at, unsigned long long f) { (void)align; (void)at; (void)f; return take(p, n); }
int cuMemAddressFree(void* p, size_t n) { munmap(p, n); return ok; }
int cuMemMap(void* p, size_t n, size_t o, void* h, unsigned long long f) { (void)p; (void)n; (void)o; (void)h; (void)f; return ok; }
int cuMemUnmap(void* p, size_t n) { (void)p; (void)n; return ok; }
int cuMemSetAccess(void* p, size_t n, const void* d, size_t c) { (void)p; (void)n; (void)d; (void)c; return ok; }
int cuMemRetainAllocationHandle(void** h, void* p) { (void)p; return handle_of(h); }
int cuPointerGetAttribute(void* out, int attribute, void* p) { (void)p; if (attribute == 2) { *(unsigned*)out = 2; return ok; } return invalid_value; }
int cuPointerGetAttributes(unsigned n, int* attributes, void** out, void* p) {
  for (unsigned i = 0; i < n; i++) if (attributes[i] == 2) *(unsigned*)out[i] = 2; else if (attributes[i] == 9) *(int*)out[i] = 0; else (void)p;
  return ok;
}
int cuModuleLoadData(void** m, const void* image) { (void)image; return handle_of(m); }
int cuModuleLoadDataEx(void** m, const void* image, unsigned n, int* o, void** v) { (void)image; (void)n; (void)o; (void)v; return handle_of(m); }
int cuModuleLoadFatBinary(void** m, const void* image) { (void)image; return handle_of(m); }
int cuModuleUnload(void* m) { (void)m; return ok; }
int cuModuleGetFunction(void** f, void* m, const char* name) { (void)m; (void)name; return handle_of(f); }
int cuModuleGetGlobal_v2(void** p, size_t* n, void* m, const char* name) { (void)m; (void)name; if (n) *n = 4096; return take(p, 4096); }
int cuFuncGetAttribute(int* v, int a, void* f) { (void)a; (void)f; *v = 0; return ok; }
int cuFuncSetAttribute(void* f, int a, int v) { (void)f; (void)a; (void)v; return ok; }
int cuFuncSetCacheConfig(void* f, int c) { (void)f; (void)c; return ok; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n, void* f, int b, size_t s) { (void)f; (void)b; (void)s; *n = 1; return ok; }
int cuLaunchKernel(void* f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned s, void* q, void** p, void** x) {
  (void)f; (void)a; (void)b; (void)c; (void)d; (void)e; (void)g; (void)s; (void)q; (void)p; (void)x;
  return ok;
}

/* Looked up by some frameworks before anything is asked, and needed only to compute. */
#define REFUSES(name) int name(void) { return not_supported; }
REFUSES(cuLinkCreate_v2) REFUSES(cuLinkAddData_v2) REFUSES(cuLinkAddFile_v2) REFUSES(cuLinkComplete) REFUSES(cuLinkDestroy)
REFUSES(cuLaunchCooperativeKernel) REFUSES(cuTexObjectCreate) REFUSES(cuTexObjectDestroy) REFUSES(cuTexRefSetFormat)
REFUSES(cuMemAllocPitch_v2) REFUSES(cuMemcpy2D_v2) REFUSES(cuMemcpy3D_v2) REFUSES(cuMemcpyPeer) REFUSES(cuIpcGetMemHandle)
REFUSES(cuIpcOpenMemHandle_v2) REFUSES(cuIpcCloseMemHandle) REFUSES(cuGraphCreate) REFUSES(cuGraphLaunch)
REFUSES(cuOccupancyMaxPotentialBlockSize) REFUSES(cuProfilerStart) REFUSES(cuProfilerStop)
#if DRIVER_EXPORTS >= 12000
REFUSES(cuTensorMapEncodeTiled) REFUSES(cuLibraryLoadData) REFUSES(cuLibraryUnload) REFUSES(cuLibraryGetKernel) REFUSES(cuKernelGetFunction)
REFUSES(cuLaunchKernelEx)
#endif

#if DRIVER_EXPORTS >= 11030
static void* own_symbol(const char* name) {
  Dl_info info;
  if (!dladdr((void*)&cuInit, &info)) return NULL;
  void* self = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  char newer[128];
  snprintf(newer, sizeof newer, "%s_v2", name);
  void* found = self ? dlsym(self, newer) : NULL;
  return found || !self ? found : dlsym(self, name);
}
int cuGetProcAddress(const char* name, void** out, int version, unsigned long long flags) {
  (void)version; (void)flags;
  *out = own_symbol(name);
  return *out ? ok : not_found;
}
#endif
#if DRIVER_EXPORTS >= 12000
int cuGetProcAddress_v2(const char* name, void** out, int version, unsigned long long flags, int* status) {
  (void)version; (void)flags;
  *out = own_symbol(name);
  if (status) *status = *out ? 0 : 1;
  return *out ? ok : not_found;
}
#endif
#if DRIVER_EXPORTS >= 12080
int cuLogsRegisterCallback(void* f, void* data, void** handle) { (void)f; (void)data; return handle_of(handle); }
int cuLogsUnregisterCallback(void* handle) { (void)handle; return ok; }
#endif
#endif
