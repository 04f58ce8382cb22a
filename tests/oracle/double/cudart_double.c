/* libcudart.so.NN that accepts the driver double, for frameworks whose "yes" needs a runtime.
 *
 * The vendor's runtime checks that the driver is the vendor's; that check is not imitated, so the vendor's runtime
 * refuses the double and this one stands in. It gives the same errors: no driver, a failing cuInit, and a driver whose
 * CUDA major is older than RUNTIME_VERSION's (35). Functions not written here are added by stubs.py and return 0. */
#define _GNU_SOURCE
#include "double.h"

#include <dlfcn.h>
#include <stdint.h>

#ifndef RUNTIME_VERSION
#define RUNTIME_VERSION 12040
#endif

static void* driver;
static int state = -1;  /* -1: not asked yet */
static int last_error;

static void* driver_symbol(const char* name) {
  if (!driver) driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver ? dlsym(driver, name) : NULL;
}
static int start(void) {
  if (state >= 0) return state;
  int (*version)(int*) = (int (*)(int*))driver_symbol("cuDriverGetVersion");
  int (*init)(unsigned) = (int (*)(unsigned))driver_symbol("cuInit");
  int have = 0;
  if (!version || !init) return state = 35;
  if (version(&have) == 34) return state = 34;
  if (have / 1000 < RUNTIME_VERSION / 1000) return state = 35;
  return state = init(0);
}
static int say(int code) { if (code) last_error = code; return code; }

int cudaRuntimeGetVersion(int* v) { *v = RUNTIME_VERSION; return 0; }
int cudaDriverGetVersion(int* v) {
  int (*version)(int*) = (int (*)(int*))driver_symbol("cuDriverGetVersion");
  *v = 0;
  if (version) version(v);
  return 0;
}
int cudaGetLastError(void) { int code = last_error; last_error = 0; return code; }
int cudaPeekAtLastError(void) { return last_error; }
const char* cudaGetErrorName(int code) { return code ? "cudaErrorOfTheDouble" : "cudaSuccess"; }
const char* cudaGetErrorString(int code) {
  switch (code) {
    case 0: return "no error";
    case 34: return "CUDA driver is a stub library";
    case 35: return "CUDA driver version is insufficient for CUDA runtime version";
    case 100: return "no CUDA-capable device is detected";
    case 999: return "unknown error";
    default: return "error of the runtime double";
  }
}
int cudaGetDeviceCount(int* n) {
  *n = 0;
  int code = start();
  if (code) return say(code);
  return ((int (*)(int*))driver_symbol("cuDeviceGetCount"))(n);
}
int cudaGetDevice(int* d) { int code = start(); *d = 0; return say(code); }
int cudaSetDevice(int d) {
  int n, code = cudaGetDeviceCount(&n);
  return code ? code : say(d < n ? 0 : 101);
}
int cudaDeviceSynchronize(void) { return say(start()); }
int cudaFree(void* p) { (void)p; return say(start()); }
int cudaDeviceGetAttribute(int* v, int attribute, int d) {
  int code = start();
  if (code) return say(code);
  return ((int (*)(int*, int, int))driver_symbol("cuDeviceGetAttribute"))(v, attribute, d);
}
int cudaDeviceGetPCIBusId(char* text, int size, int d) {
  int code = start();
  if (code) return say(code);
  return ((int (*)(char*, int, int))driver_symbol("cuDeviceGetPCIBusId"))(text, size, d);
}
static int properties(char* p, size_t size, int d) {
  int code = start(), v = 0;
  if (code) return say(code);
  memset(p, 0, size);
  ((int (*)(char*, int, int))driver_symbol("cuDeviceGetName"))(p, 256, d);
  ((int (*)(size_t*, int))driver_symbol("cuDeviceTotalMem_v2"))((size_t*)(p + 288), d);
  *(size_t*)(p + 296) = 49152;
  *(int*)(p + 304) = 65536;
  *(int*)(p + 308) = 32;
  *(int*)(p + 320) = 1024;
  cudaDeviceGetAttribute(&v, 75, d); *(int*)(p + 360) = v;
  cudaDeviceGetAttribute(&v, 76, d); *(int*)(p + 364) = v;
  *(int*)(p + (RUNTIME_VERSION >= 13000 ? 384 : 388)) = 108;
  return 0;
}
int cudaGetDeviceProperties(void* p, int d) { return properties((char*)p, RUNTIME_VERSION >= 13000 ? 1008 : 712, d); }
int cudaGetDeviceProperties_v2(void* p, int d) { return properties((char*)p, 1032, d); }
int cudaMemGetInfo(size_t* a, size_t* b) {
  int code = start();
  if (code) return say(code);
  return ((int (*)(size_t*, size_t*))driver_symbol("cuMemGetInfo_v2"))(a, b);
}
int cudaMalloc(void** p, size_t n) { int code = start(); if (code) return say(code); *p = malloc(n ? n : 1); return 0; }
int cudaMallocHost(void** p, size_t n) { return cudaMalloc(p, n); }
int cudaHostAlloc(void** p, size_t n, unsigned f) { (void)f; return cudaMalloc(p, n); }
int cudaMallocAsync(void** p, size_t n, void* s) { (void)s; return cudaMalloc(p, n); }
int cudaMemcpy(void* d, const void* s, size_t n, int kind) { (void)kind; memmove(d, s, n); return 0; }
int cudaMemcpyAsync(void* d, const void* s, size_t n, int kind, void* q) { (void)kind; (void)q; memmove(d, s, n); return 0; }
int cudaMemset(void* d, int v, size_t n) { memset(d, v, n); return 0; }
int cudaMemsetAsync(void* d, int v, size_t n, void* q) { (void)q; memset(d, v, n); return 0; }
int cudaStreamCreate(void** s) { *s = &state; return say(start()); }
int cudaStreamCreateWithFlags(void** s, unsigned f) { (void)f; return cudaStreamCreate(s); }
int cudaStreamCreateWithPriority(void** s, unsigned f, int p) { (void)f; (void)p; return cudaStreamCreate(s); }
int cudaEventCreate(void** e) { *e = &state; return say(start()); }
int cudaEventCreateWithFlags(void** e, unsigned f) { (void)f; return cudaEventCreate(e); }
int cudaDeviceGetStreamPriorityRange(int* a, int* b) { if (a) *a = 0; if (b) *b = 0; return 0; }
int cudaGetDriverEntryPoint(const char* name, void** f, unsigned long long flags, int* result) {
  (void)flags;
  *f = driver_symbol(name);
  if (result) *result = *f ? 0 : 1;
  return 0;
}
int cudaGetDriverEntryPointByVersion(const char* name, void** f, unsigned version, unsigned long long flags, int* result) {
  (void)version;
  return cudaGetDriverEntryPoint(name, f, flags, result);
}
void** __cudaRegisterFatBinary(void* image) { (void)image; static void* handle; return &handle; }
char __cudaInitModule(void** h) { (void)h; return 1; }
