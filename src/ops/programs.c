/* programs.c - the kernels of the operations on a device. (JIT while cc is on its way) */
#include "ops/op.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry {
    lw_device *device;
    lw_program *program;
} entries[64][LW_PROGRAM_COUNT];

static const char *const files[] = {
#define LW_OPS_PROGRAM(name) #name,
#include "ops/programs.def"
#undef LW_OPS_PROGRAM
};

lw_status lw__ops_kernel(lw_device *device, enum lw__ops_program program, const char *name,
                         lw_kernel **kernel)
{
    lw_status status = LW_OK;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 64; i++) {
        struct entry *e = &entries[i][program];
        if (e->device && e->device != device)
            continue;
        if (!e->device) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s.c", getenv("LANEWISE_KERNELS"), files[program]);
            status = lw_program_build(device, path, NULL, &e->program);
            if (!status)
                e->device = device;
        }
        if (!status)
            status = lw_program_kernel(e->program, name, kernel);
        break;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

lw_status lw_program_share(lw_device *device, const char *name, const char *source, lw_program **program)
{
    lw_build_options o = {.source = source};
    return lw_program_build(device, name, &o, program);
}
