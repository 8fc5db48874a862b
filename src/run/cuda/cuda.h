/* cuda.h - what the files of the device `cuda` share: NVIDIA's driver, on which run/gpu works.
 *
 *     driver   the driver's library, and its calls as run/gpu needs them
 *     code     code is loaded
 *     device   which GPUs there are, what they are; the device
 */
#ifndef LW_CUDA_H
#define LW_CUDA_H

#include "run/cuda/driver.h"

/* One GPU that is open. */
struct lw__cuda {
    struct lw__gpu gpu;  /* first: run/gpu has its address alone */
    atomic_size_t holds; /* of device.c's table */
    const struct lw__cuda_driver *driver;
    int ordinal, device;
    char target[24], description[256];
};

/* ---- code.c ---- */

/* What load makes: of the first step's shared object, or of the second step's text. */
struct lw__cuda_code {
    struct lw__gpu_code gpu; /* first, as above */
    void *object;            /* of dlopen; NULL: it is a text's */
    struct cu_module *module;
};
lw_status lw__cuda_load(void *state, const char *path, const void *payload, size_t bytes,
                        void **code);
void lw__cuda_unload(void *state, void *code);
lw_status lw__cuda_find(void *code, const char *kernel, void **entry);
lw_status lw__cuda_sizes(void *code, const char *kernel, void **function);
lw_status lw__cuda_symbol(void *code, const char *name, void **value);
lw_status lw__cuda_common(void *code, const void **bitcode, size_t *bytes);
lw_status lw__cuda_guarded(void *code, const void **bitcode, size_t *bytes);
#endif
