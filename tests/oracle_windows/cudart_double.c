/* A CUDA runtime for the tests. It asks the driver's library as NVIDIA's runtime does (by LoadLibraryEx from System32 only) and
 * hands on its answers: without that library, or with one older than CUDART_MAJOR, error 35; cuInit's error as it came; without a
 * device 100 (CUDA Runtime API, "Data types used by CUDA Runtime", cudaError). Memory is the process's own, and nothing is
 * computed: every kernel "succeeds". The functions that return plain success are generated, see doubles.py. */
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define API __declspec(dllexport)
typedef int (*with_number)(unsigned);
typedef int (*with_result)(int*);
typedef int (*with_attribute)(int*, int, int);

static HMODULE driver(void) { return LoadLibraryExA("nvcuda.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32); }

static int ask(int* count) {
  HMODULE library = driver();
  int version = 0, error;
  *count = 0;
  if (library == NULL) return 35;
  ((with_result)(void*)GetProcAddress(library, "cuDriverGetVersion"))(&version);
  if (version / 1000 < CUDART_MAJOR) return 35;
  error = ((with_number)(void*)GetProcAddress(library, "cuInit"))(0);
  if (error != 0) return error;
  error = ((with_result)(void*)GetProcAddress(library, "cuDeviceGetCount"))(count);
  return error != 0 ? error : *count > 0 ? 0 : 100;
}

static int ready(void) {
  int count;
  return ask(&count);
}

static int attribute_of(int number, int device) {
  int value = 0;
  ((with_attribute)(void*)GetProcAddress(driver(), "cuDeviceGetAttribute"))(&value, number, device);
  return value;
}

API int cudaGetDeviceCount(int* count) { return ask(count); }
API int cudaSetDevice(int device) {
  int count, error = ask(&count);
  return error != 0 ? error : device < count ? 0 : 101;
}
API int cudaGetDevice(int* device) { *device = 0; return ready(); }
API int cudaDeviceGetAttribute(int* value, int number, int device) {
  int error = ready();
  *value = error == 0 ? attribute_of(number, device) : 0;
  return error;
}
/* The head of cudaDeviceProp is the same in CUDA 11 and 12 as far as these (driver_types.h). */
API int cudaGetDeviceProperties(char* properties, int device) {
  int error = ready(), number;
  memset(properties, 0, 640);
  if (error != 0) return error;
  strcpy(properties, "NVIDIA GeForce RTX 3060");
  *(size_t*)(properties + 288) = (size_t)12 << 30;
  *(size_t*)(properties + 296) = 49152;
  *(int*)(properties + 304) = 65536;
  *(int*)(properties + 308) = 32;
  *(int*)(properties + 320) = 1024;
  for (number = 0; number < 3; ++number) *(int*)(properties + 324 + 4 * number) = 1024, *(int*)(properties + 336 + 4 * number) = 65535;
  *(int*)(properties + 360) = attribute_of(75, device);
  *(int*)(properties + 364) = attribute_of(76, device);
  return 0;
}
API int cudaGetDeviceProperties_v2(char* properties, int device) { return cudaGetDeviceProperties(properties, device); }
API int cudaMemGetInfo(size_t* available, size_t* total) { *available = *total = (size_t)12 << 30; return ready(); }
API int cudaRuntimeGetVersion(int* version) { *version = CUDART_MAJOR * 1000; return 0; }
API int cudaMalloc(void** memory, size_t size) { *memory = calloc(1, size); return ready(); }
API int cudaMallocHost(void** memory, size_t size) { *memory = calloc(1, size); return ready(); }
API int cudaHostAlloc(void** memory, size_t size, unsigned flags) { (void)flags; *memory = calloc(1, size); return ready(); }
API int cudaFree(void* memory) { free(memory); return 0; }
API int cudaFreeHost(void* memory) { free(memory); return 0; }
API int cudaMemcpy(void* to, const void* from, size_t size) { memcpy(to, from, size); return 0; }
API int cudaMemcpyAsync(void* to, const void* from, size_t size) { memcpy(to, from, size); return 0; }
API int cudaMemset(void* to, int value, size_t size) { memset(to, value, size); return 0; }
API int cudaMemsetAsync(void* to, int value, size_t size) { memset(to, value, size); return 0; }
API int cudaStreamCreateWithFlags(void** stream, unsigned flags) { (void)flags; *stream = malloc(1); return ready(); }
API int cudaEventCreate(void** event) { *event = malloc(1); return ready(); }
API int cudaEventCreateWithFlags(void** event, unsigned flags) { (void)flags; *event = malloc(1); return ready(); }
API const char* cudaGetErrorName(int code) { (void)code; return "cudaErrorOfTheDouble"; }
API const char* cudaGetErrorString(int code) { (void)code; return "an error of the runtime's double"; }
