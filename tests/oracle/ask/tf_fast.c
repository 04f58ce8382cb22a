/* Asks TensorFlow's own libraries which GPUs they see, without Python: 0.3 seconds instead of 6.
 *
 * usage: tf_fast SITE_PACKAGES/tensorflow
 * Opens the two libraries in the order and scope in which the wheel's Python opens them (wheels that have
 * python/pywrap_dlopen_global_flags.py use RTLD_GLOBAL), and calls
 * tensorflow::DeviceFactory::ListAllPhysicalDevices(std::vector<std::string>*), which list_physical_devices calls.
 * Prints one JSON line when the libraries are open and one when the answer is there, so that a crash shows its stage. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char* kListDevices =
    "_ZN10tensorflow13DeviceFactory22ListAllPhysicalDevicesEPSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS7_EE";

/* libstdc++'s std::string (new ABI) and std::vector, as far as reading needs them. */
typedef struct { const char* data; unsigned long size; char inside[16]; } cxx_string;
typedef struct { cxx_string* begin; cxx_string* end; cxx_string* capacity; } cxx_strings;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/python/pywrap_dlopen_global_flags.py", argv[1]);
  const int scope = access(path, F_OK) == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
  snprintf(path, sizeof path, "%s/libtensorflow_framework.so.2", argv[1]);
  void* framework = dlopen(path, RTLD_NOW | scope);
  if (!framework) { fprintf(stderr, "ImportError: %s\n", dlerror()); puts("{\"imports\": \"no\"}"); return 0; }
  snprintf(path, sizeof path, "%s/libtensorflow_cc.so.2", argv[1]);
  if (access(path, F_OK)) snprintf(path, sizeof path, "%s/python/_pywrap_tensorflow_internal.so", argv[1]);
  if (!dlopen(path, RTLD_NOW | scope)) { fprintf(stderr, "ImportError: %s\n", dlerror()); puts("{\"imports\": \"no\"}"); return 0; }
  void* (*list_devices)(void*, cxx_strings*) = (void* (*)(void*, cxx_strings*))dlsym(framework, kListDevices);
  if (!list_devices) { fprintf(stderr, "no ListAllPhysicalDevices: %s\n", dlerror()); return 2; }
  puts("{\"imports\": \"yes\"}");
  fflush(stdout);
  void* status[4] = {0};
  cxx_strings devices = {0};
  list_devices(status, &devices);
  int gpus = 0;
  for (cxx_string* device = devices.begin; device != devices.end; device++)
    if (strstr(device->data, ":GPU:")) gpus++;
  printf("{\"imports\": \"yes\", \"sees_gpu\": \"%s\", \"device_count\": %d}\n", gpus ? "yes" : "no", gpus);
  fflush(stdout);
  _exit(0); /* the libraries' destructors have nothing to add */
}
