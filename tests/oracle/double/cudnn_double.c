/* libcudnn.so.9's one habit that decides something: its version functions live in libcudnn_graph.so.9, which it opens
 * at the first call and without which it aborts. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static void* graph_symbol(const char* name) {
  static void* graph;
  if (!graph) graph = dlopen("libcudnn_graph.so.9.28.0", RTLD_NOW);
  if (!graph) graph = dlopen("libcudnn_graph.so.9.28", RTLD_NOW);
  if (!graph) graph = dlopen("libcudnn_graph.so.9", RTLD_NOW);
  void* found = graph ? dlsym(graph, name) : NULL;
  if (!found) {
    fprintf(stderr, "%s\nInvalid handle. Cannot load symbol %s\n", graph ? "no such symbol" : dlerror(), name);
    abort();
  }
  return found;
}
size_t cudnnGetVersion(void) { return ((size_t (*)(void))graph_symbol("cudnnGetVersion"))(); }
int cudnnGetProperty(int type, int* value) { return ((int (*)(int, int*))graph_symbol("cudnnGetProperty"))(type, value); }
int cudnnCreate(void** handle) { return ((int (*)(void**))graph_symbol("cudnnCreate"))(handle); }
