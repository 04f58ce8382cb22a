/* A driver library that behaves as the variable GPUWAY_DOUBLE says. Built as libcuda and as nvcuda.dll. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#define EXPORT __declspec(dllexport)
#define PAUSE() Sleep(60000)
#else
#include <unistd.h>
#define EXPORT __attribute__((visibility("default")))
#define PAUSE() sleep(60)
#endif

static int behaves(const char* how) {
  const char* chosen = getenv("GPUWAY_DOUBLE");
  return chosen != NULL && strcmp(chosen, how) == 0;
}

EXPORT int cuDriverGetVersion(int* version) {
  printf("init=999\nend=1\n"); /* noise that must not be taken for an answer */
  fflush(stdout);
  *version = 12040;
  return 0;
}
EXPORT int cuInit(unsigned flags) {
  (void)flags;
  if (behaves("crash")) *(volatile int*)0 = 1;
  if (behaves("hang")) PAUSE();
  if (behaves("exit")) exit(7);
  return behaves("no-device") ? 100 : 0;
}
EXPORT int cuDeviceGetCount(int* count) {
  const char* visible = getenv("CUDA_VISIBLE_DEVICES");
  *count = visible != NULL && strcmp(visible, "-1") == 0 ? 0 : 2;
  return 0;
}
EXPORT int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
EXPORT int cuDeviceGetName(char* name, int length, int device) {
  snprintf(name, (size_t)length, "Double %d", device);
  return 0;
}
EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 8 : attribute == 76 ? 6 : 0;
  return 0;
}
EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  (void)device;
  *bytes = (size_t)12 << 30;
  return 0;
}
EXPORT int nvmlInit_v2(void) { return 0; }
EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  snprintf(text, length, "551.61");
  return 0;
}
