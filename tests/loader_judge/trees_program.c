/* The judge: the system's own loader. trees_program (FLAG CALLER NAME)... opens each NAME with RTLD_NOW and says what
   came of it and which objects are in the process then. FLAG g adds RTLD_GLOBAL. CALLER is - for the program, or the
   number of an earlier request whose library does the dlopen (TREE_LIBRARY, each library has open_here). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef TREE_LIBRARY
void* open_here(const char* name, int flags) {
  void* volatile handle = dlopen(name, flags); /* volatile: a tail call would hide who the caller is */
  return handle;
}
#else
typedef void* opener(const char*, int);

static void show_objects(void) {
  const struct link_map* map = 0;
  dlinfo(dlopen(0, RTLD_NOW), RTLD_DI_LINKMAP, &map);
  printf("objects");
  for (; map != 0; map = map->l_next) printf("\t%s", map->l_name);
  printf("\n");
  fflush(stdout);
}

int main(int argc, char** argv) {
  void* handles[64] = {0};
  printf("started\n");
  show_objects();
  for (int i = 0; 3 * i + 3 < argc && i < 64; ++i) {
    char** word = argv + 3 * i + 1;
    const int flags = RTLD_NOW | (word[0][0] == 'g' ? RTLD_GLOBAL : 0);
    fprintf(stderr, "@request %d\n", i);
    opener* open = 0;
    if (word[1][0] != '-') {
      void* by = handles[atoi(word[1])];
      if (by != 0) open = (opener*)dlsym(by, "open_here");
      if (open == 0) {
        printf("skipped\n");
        fflush(stdout);
        continue;
      }
    }
    handles[i] = open != 0 ? open(word[2], flags) : dlopen(word[2], flags);
    if (handles[i] == 0) {
      printf("failed\t%s\n", dlerror());
    } else {
      const struct link_map* map = 0;
      dlinfo(handles[i], RTLD_DI_LINKMAP, &map);
      printf("loaded\t%s\n", map->l_name);
    }
    show_objects();
  }
  fprintf(stderr, "@end\n");
  fflush(stdout);
  _Exit(0); /* destructors are not what is judged */
}
#endif
