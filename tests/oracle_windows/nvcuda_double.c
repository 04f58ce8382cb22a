/* A driver library for the tests: answers as the GPU, driver and fault that the variables name. Own text; imitates no private
 * table of the vendor's.
 *   GPU_DOUBLE_COUNT (1)  GPU_DOUBLE_CC (8.6)  GPU_DOUBLE_CUINIT (0)  GPU_DOUBLE_DRIVER (12040) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define API __declspec(dllexport)

static int number(const char* name, int otherwise) {
  char text[32];
  DWORD size = GetEnvironmentVariableA(name, text, sizeof text);
  return size > 0 && size < sizeof text ? atoi(text) : otherwise;
}

static void capability(int* major, int* minor) {
  char text[32] = "8.6";
  GetEnvironmentVariableA("GPU_DOUBLE_CC", text, sizeof text);
  if (sscanf(text, "%d.%d", major, minor) != 2) *major = 8, *minor = 6;
}

API int cuInit(unsigned flags) { (void)flags; return number("GPU_DOUBLE_CUINIT", 0); }
API int cuDriverGetVersion(int* version) { *version = number("GPU_DOUBLE_DRIVER", 12040); return 0; }
API int cuDeviceGetCount(int* count) { *count = number("GPU_DOUBLE_COUNT", 1); return 0; }
API int cuDeviceGet(int* device, int ordinal) { *device = ordinal; return ordinal < number("GPU_DOUBLE_COUNT", 1) ? 0 : 101; }
API int cuDeviceGetName(char* name, int size, int device) { (void)device; snprintf(name, size, "NVIDIA GeForce RTX 3060"); return 0; }
API int cuDeviceTotalMem_v2(size_t* bytes, int device) { (void)device; *bytes = (size_t)12 << 30; return 0; }
API int cuDeviceTotalMem(size_t* bytes, int device) { return cuDeviceTotalMem_v2(bytes, device); }
API int cuDeviceComputeCapability(int* major, int* minor, int device) { (void)device; capability(major, minor); return 0; }
API int cuDeviceGetPCIBusId(char* text, int size, int device) { snprintf(text, size, "0000:%02x:00.0", device + 1); return 0; }
API int cuDeviceGetUuid(unsigned char* out, int device) { memset(out, 0xa0, 16); out[15] = (unsigned char)device; return 0; }
API int cuDeviceGetAttribute(int* value, int attribute, int device) {
  int major, minor;
  (void)device;
  capability(&major, &minor);
  switch (attribute) {
    case 75: *value = major; break;
    case 76: *value = minor; break;
    case 16: *value = 28; break;      /* multiprocessors */
    case 13: *value = 1777000; break; /* clock, kHz */
    case 36: *value = 7501000; break; /* memory clock, kHz */
    case 37: *value = 192; break;     /* memory bus, bits */
    case 10: *value = 32; break;      /* warp */
    case 1: *value = 1024; break;
    case 39: *value = 1536; break;
    case 12: *value = 65536; break;
    case 8: *value = 49152; break;
    default: *value = 1;
  }
  return 0;
}
API int cuGetErrorName(int code, const char** text) { static char name[32]; snprintf(name, sizeof name, "CUDA_ERROR_%d", code); *text = name; return 0; }
API int cuGetErrorString(int code, const char** text) { static char name[32]; snprintf(name, sizeof name, "error %d", code); *text = name; return 0; }
API int cuGetExportTable(const void** table, const void* id) { (void)id; *table = NULL; return 500; }

/* ONNX Runtime 1.18 and newer takes these while its provider is being loaded, and refuses a driver without one of them. */
#define LOOKED_UP(name) API int name(void) { return 0; }
LOOKED_UP(cuFuncSetAttribute) LOOKED_UP(cuFuncSetCacheConfig) LOOKED_UP(cuLaunchCooperativeKernel) LOOKED_UP(cuLaunchKernel)
LOOKED_UP(cuLinkAddData_v2) LOOKED_UP(cuLinkAddFile_v2) LOOKED_UP(cuLinkComplete) LOOKED_UP(cuLinkCreate_v2) LOOKED_UP(cuLinkDestroy)
LOOKED_UP(cuModuleGetFunction) LOOKED_UP(cuModuleLoadData) LOOKED_UP(cuModuleUnload)
