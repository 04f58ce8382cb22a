/* What the driver, NVML and runtime doubles share: the settings of the pretended machine.
 *
 * Settings are `key=value` lines in the file named by GPU_DOUBLE_CONFIG. Without one, the machine has one
 * "NVIDIA A100-SXM4-40GB" under driver 550.54.14 (CUDA 12.4). Everything here is our own text; nothing imitates the
 * vendor's private tables, and cuGetExportTable always refuses. */
#pragma once
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  int count;            /* devices in the machine, before CUDA_VISIBLE_DEVICES */
  int cc_major, cc_minor;
  long memory_mib;
  int driver_version;   /* as cuDriverGetVersion answers: 12040 */
  int cuinit;           /* what cuInit answers when devices are there */
  int cuinit_hang;      /* seconds cuInit sleeps */
  int cuinit_crash;     /* 1: cuInit dies of SIGSEGV */
  int nvml_init;        /* what nvmlInit answers */
  char name[96];
  char driver[32];
} double_settings;

static inline void double_read(double_settings* s) {
  *s = (double_settings){1, 8, 0, 40960, 12040, 0, 0, 0, 0, "NVIDIA A100-SXM4-40GB", "550.54.14"};
  const char* path = getenv("GPU_DOUBLE_CONFIG");
  FILE* file = path ? fopen(path, "r") : NULL;
  if (!file) return;
  char line[256];
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\r\n")] = 0;
    char* value = strchr(line, '=');
    if (!value) continue;
    *value++ = 0;
    if (!strcmp(line, "count")) s->count = atoi(value);
    else if (!strcmp(line, "cc")) sscanf(value, "%d.%d", &s->cc_major, &s->cc_minor);
    else if (!strcmp(line, "memory_mib")) s->memory_mib = atol(value);
    else if (!strcmp(line, "driver_version")) s->driver_version = atoi(value);
    else if (!strcmp(line, "cuinit")) s->cuinit = atoi(value);
    else if (!strcmp(line, "cuinit_hang")) s->cuinit_hang = atoi(value);
    else if (!strcmp(line, "cuinit_crash")) s->cuinit_crash = atoi(value);
    else if (!strcmp(line, "nvml_init")) s->nvml_init = atoi(value);
    else if (!strcmp(line, "name")) snprintf(s->name, sizeof s->name, "%s", value);
    else if (!strcmp(line, "driver")) snprintf(s->driver, sizeof s->driver, "%s", value);
  }
  fclose(file);
}

/* The UUID of device `index`, as 16 bytes and as text; fixed, so that scenarios can name it. */
static inline void double_uuid(int index, unsigned char out[16]) {
  for (int i = 0; i < 16; i++) out[i] = (unsigned char)(0xa0 + i);
  out[15] = (unsigned char)index;
}
static inline void double_uuid_text(int index, char out[48]) {
  unsigned char u[16];
  double_uuid(index, u);
  snprintf(out, 48, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3], u[4],
           u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}
