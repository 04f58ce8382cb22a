/* libnvidia-ml.so.1 of the pretended machine: what frameworks ask of NVML before they believe in a GPU. */
#include "double.h"

enum { ok = 0, uninitialized = 1, invalid_argument = 2, not_supported = 3, not_found = 6 };
static double_settings settings;
static int initialized;
static int marks[64];

int nvmlInit_v2(void) {
  double_read(&settings);
  if (settings.nvml_init) return settings.nvml_init;
  initialized = 1;
  return ok;
}
int nvmlInit(void) { return nvmlInit_v2(); }
int nvmlInitWithFlags(unsigned f) { (void)f; return nvmlInit_v2(); }
int nvmlShutdown(void) { return ok; }
const char* nvmlErrorString(int code) {
  switch (code) {
    case 0: return "Success";
    case 9: return "Driver Not Loaded";
    case 18: return "Driver/library version mismatch";
    default: return "Unknown Error";
  }
}
#define NEED_INIT if (!initialized) return uninitialized
static int index_of(void* device) { return (int)((int*)device - marks); }
int nvmlSystemGetDriverVersion(char* out, unsigned n) { NEED_INIT; snprintf(out, n, "%s", settings.driver); return ok; }
int nvmlSystemGetNVMLVersion(char* out, unsigned n) { NEED_INIT; snprintf(out, n, "12.%s", settings.driver); return ok; }
int nvmlSystemGetCudaDriverVersion(int* v) { double_read(&settings); *v = settings.driver_version; return ok; }
int nvmlSystemGetCudaDriverVersion_v2(int* v) { return nvmlSystemGetCudaDriverVersion(v); }
int nvmlSystemGetConfComputeState(void* state) { (void)state; return not_supported; }
int nvmlDeviceGetCount_v2(unsigned* n) { NEED_INIT; *n = (unsigned)settings.count; return ok; }
int nvmlDeviceGetCount(unsigned* n) { return nvmlDeviceGetCount_v2(n); }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** d) { NEED_INIT; if ((int)i >= settings.count) return invalid_argument; *d = &marks[i]; return ok; }
int nvmlDeviceGetHandleByIndex(unsigned i, void** d) { return nvmlDeviceGetHandleByIndex_v2(i, d); }
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** d) {
  NEED_INIT;
  unsigned domain, bus;
  if (sscanf(id, "%x:%x", &domain, &bus) != 2 || bus < 1 || (int)bus > settings.count) return not_found;
  *d = &marks[bus - 1];
  return ok;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** d) {
  NEED_INIT;
  for (int i = 0; i < settings.count; i++) { char text[48]; double_uuid_text(i, text); if (!strcmp(text, uuid)) { *d = &marks[i]; return ok; } }
  return not_found;
}
int nvmlDeviceGetName(void* d, char* out, unsigned n) { (void)d; NEED_INIT; snprintf(out, n, "%s", settings.name); return ok; }
int nvmlDeviceGetUUID(void* d, char* out, unsigned n) { NEED_INIT; char text[48]; double_uuid_text(index_of(d), text); snprintf(out, n, "%s", text); return ok; }
int nvmlDeviceGetIndex(void* d, unsigned* i) { NEED_INIT; *i = (unsigned)index_of(d); return ok; }
int nvmlDeviceGetMinorNumber(void* d, unsigned* i) { return nvmlDeviceGetIndex(d, i); }
int nvmlDeviceGetCudaComputeCapability(void* d, int* a, int* b) { (void)d; NEED_INIT; *a = settings.cc_major; *b = settings.cc_minor; return ok; }
int nvmlDeviceGetMemoryInfo(void* d, unsigned long long* m) { (void)d; NEED_INIT; m[0] = (unsigned long long)settings.memory_mib << 20; m[1] = m[0]; m[2] = 0; return ok; }
int nvmlDeviceGetMigMode(void* d, unsigned* now, unsigned* later) { (void)d; NEED_INIT; *now = 0; *later = 0; return ok; }
int nvmlDeviceGetNvLinkState(void* d, unsigned link, int* active) { (void)d; (void)link; (void)active; return not_supported; }
int nvmlDeviceGetGpuFabricInfo(void* d, void* info) { (void)d; (void)info; return not_supported; }
int nvmlDeviceGetGpuFabricInfoV(void* d, void* info) { (void)d; (void)info; return not_supported; }
int nvmlDeviceGetFieldValues(void* d, int n, void* v) { (void)d; (void)n; (void)v; return not_supported; }
