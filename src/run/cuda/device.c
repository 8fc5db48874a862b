/* device.c - the device `cuda`: NVIDIA GPUs, each of them `cuda:N`.
 *
 * All who open a GPU share its primary context. The last of them resets one that was lost
 * (gpu/context.c), so the next user gets a new one.
 */
#include "run/cuda/cuda.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GPUS_MAX = 64,
    CAPABILITY_MIN = 70,
    CAPABILITY_MAX = 90, /* that lanewise-compile knows; newer GPUs take its code */
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct lw__cuda *table[GPUS_MAX]; /* of those that are open */

/* ---- what a GPU is ---- */

static const char *cuda_probe(void)
{
    static _Thread_local char why[LW_MESSAGE_MAX + 1];
    const struct lw__cuda_driver *driver;

    if (!lw__cuda_driver(&driver))
        return "";
    strcpy(why, lw_last_error());
    return why;
}

/* Without a context: device, name, target, description, limits. */
static int ask(struct lw__cuda *gpu, int *capability)
{
    const struct lw__cuda_driver *cu = gpu->driver;
    char name[128] = "";
    int major = 0, minor = 0, shared = 0, version = 0, result, d;
    size_t bytes = 0;

    result = cu->device(&gpu->device, gpu->ordinal);
    d = gpu->device;
    result = result ? result : cu->device_name(name, sizeof name, d);
    result = result ? result : cu->device_bytes(&bytes, d);
    result = result ? result : cu->device_attribute(&major, LW_CU_CAPABILITY_MAJOR, d);
    result = result ? result : cu->device_attribute(&minor, LW_CU_CAPABILITY_MINOR, d);
    result = result ? result : cu->device_attribute(&gpu->gpu.processors, LW_CU_PROCESSORS, d);
    result = result ? result : cu->device_attribute(&shared, LW_CU_BLOCK_SHARED_BYTES, d);
    result = result ? result : cu->version(&version);
    *capability = 10 * major + minor;
    gpu->gpu.shared_bytes = (size_t)shared;
    snprintf(gpu->gpu.name, sizeof gpu->gpu.name, "cuda:%d", gpu->ordinal);
    snprintf(gpu->target, sizeof gpu->target, "cuda:sm_%d",
             *capability > CAPABILITY_MAX ? CAPABILITY_MAX : *capability);
    snprintf(gpu->description, sizeof gpu->description,
             "%s, %.1f GiB, %d processors, sm_%d, driver for CUDA %d.%d", name,
             (double)bytes / (1 << 30), gpu->gpu.processors, *capability, version / 1000,
             version % 1000 / 10);
    return result;
}

static lw_status describe(struct lw__cuda *gpu)
{
    int capability, result = ask(gpu, &capability);

    LW_TRY(lw__gpu_result(&gpu->gpu, result, "device '%s' does not say what it is", gpu->gpu.name));
    return capability >= CAPABILITY_MIN
               ? LW_OK
               : lw__fail(LW_E_DEVICE,
                          "device '%s' has compute capability %d.%d; need %d.%d or newer",
                          gpu->gpu.name, capability / 10, capability % 10, CAPABILITY_MIN / 10,
                          CAPABILITY_MIN % 10);
}

/* ---- opening ---- */

static lw_status parse(const char *name, int *ordinal)
{
    const char *digits = name + strlen("cuda");
    char *end = NULL;

    assert(!strncmp(name, "cuda", strlen("cuda"))); /* devices.c has chosen by it */
    *ordinal = 0;
    if (!*digits)
        return LW_OK;
    digits++;
    long number = *digits >= '0' && *digits <= '9' ? strtol(digits, &end, 10) : -1;
    if (number < 0 || *end)
        return lw__fail(LW_E_DEVICE, "there is no device '%s'; need cuda or cuda:N", name);
    *ordinal = number < GPUS_MAX ? (int)number : GPUS_MAX;
    return LW_OK;
}

static lw_status start(struct lw__cuda *gpu)
{
    LW_TRY(describe(gpu));
    int result = gpu->driver->context_retain(&gpu->gpu.context, gpu->device);
    LW_TRY(lw__gpu_result(&gpu->gpu, result, "device '%s' cannot be opened", gpu->gpu.name));
    return lw__gpu_begin(&gpu->gpu);
}

/* The driver takes a lost context down with all in it, also for others in this process: for them
 * it was lost as well. */
static void stop(struct lw__cuda *gpu)
{
    const bool is_lost = atomic_load(&gpu->gpu.is_lost);

    lw__gpu_end(&gpu->gpu);
    if (gpu->gpu.context && !lw__cuda_is_forked()) {
        (void)gpu->driver->context_release(gpu->device);
        if (is_lost)
            (void)gpu->driver->context_reset(gpu->device);
    }
    free(gpu);
}

static lw_status open_first(const struct lw__cuda_driver *driver, int ordinal,
                            struct lw__cuda **out)
{
    struct lw__cuda *gpu = calloc(1, sizeof *gpu);

    if (!gpu)
        return lw__fail(LW_E_MEMORY, "out of memory: a device");
    gpu->driver = driver;
    gpu->gpu.driver = &driver->calls;
    gpu->ordinal = ordinal;
    atomic_init(&gpu->holds, 1);
    atomic_init(&gpu->gpu.is_lost, false);
    pthread_mutex_init(&gpu->gpu.lock, NULL);
    lw_status status = start(gpu);
    if (atomic_load(&gpu->gpu.is_lost))
        status =
            lw__fail(LW_E_DEVICE, "device '%s' cannot be opened (%s); it may take a new process",
                     gpu->gpu.name, gpu->gpu.loss);
    if (status)
        stop(gpu);
    else
        *out = gpu;
    return status;
}

static lw_status cuda_open(const char *name, void **state)
{
    char text[LW_GPU_RESULT_ROOM];
    lw_status status = LW_OK;
    int ordinal, count = 0, result;

    LW_TRY(parse(name, &ordinal));
    const struct lw__cuda_driver *driver;
    LW_TRY(lw__cuda_driver(&driver));
    result = driver->device_count(&count);
    if (result)
        return lw__fail(LW_E_DEVICE, "device '%s' cannot be opened: %s", name,
                        lw__cuda_result_text(result, text));
    if (ordinal >= count || ordinal >= GPUS_MAX)
        return lw__fail(LW_E_DEVICE, "there is no device '%s'; GPUs here: %d, cuda:0 to cuda:%d",
                        name, count, count - 1);
    pthread_mutex_lock(&table_lock);
    if (!table[ordinal])
        status = open_first(driver, ordinal, &table[ordinal]);
    else if (atomic_load(&table[ordinal]->gpu.is_lost))
        status = lw__gpu_fail_lost(&table[ordinal]->gpu, LW_E_DEVICE);
    else
        atomic_fetch_add(&table[ordinal]->holds, 1);
    *state = table[ordinal];
    pthread_mutex_unlock(&table_lock);
    return status;
}

/* In the child of a fork nobody opens a GPU, and who held the lock is not there. */
static void cuda_close(void *state)
{
    struct lw__cuda *gpu = state;
    const bool is_forked = lw__cuda_is_forked();

    if (!is_forked)
        pthread_mutex_lock(&table_lock);
    assert(table[gpu->ordinal] == gpu && atomic_load(&gpu->holds) > 0);
    if (atomic_fetch_sub(&gpu->holds, 1) == 1) {
        table[gpu->ordinal] = NULL;
        stop(gpu);
    }
    if (!is_forked)
        pthread_mutex_unlock(&table_lock);
}

static const char *cuda_target(void *state)
{
    const struct lw__cuda *gpu = state;

    return gpu->target;
}

/* PTX for an older processor does on a newer one; the newest does best. */
static int cuda_suits(void *state, const char *target)
{
    static const char prefix[] = "cuda:sm_";
    const struct lw__cuda *gpu = state;
    long own = strtol(gpu->target + sizeof prefix - 1, NULL, 10), wanted;

    if (strncmp(target, prefix, sizeof prefix - 1) != 0)
        return -1;
    wanted = strtol(target + sizeof prefix - 1, NULL, 10);
    return wanted > 0 && wanted <= own ? (int)wanted : -1;
}

/* Of the first GPU, for who asks before one is open. */
static const struct lw__cuda *first_gpu(void)
{
    static struct lw__cuda gpu; /* table_lock */
    const struct lw__cuda_driver *driver;
    char rest[64];
    int count = 0, capability;

    if (lw__cuda_driver(&driver))
        return NULL;
    pthread_mutex_lock(&table_lock);
    if (!gpu.driver) {
        gpu.driver = driver;
        (void)ask(&gpu, &capability);
        (void)driver->device_count(&count);
        snprintf(rest, sizeof rest, "; cuda:0 to cuda:%d", count - 1);
        if (count > 1)
            strncat(gpu.description, rest, sizeof gpu.description - strlen(gpu.description) - 1);
    }
    pthread_mutex_unlock(&table_lock);
    return &gpu;
}

static void cuda_describe(void *state, lw_device_info *info)
{
    const struct lw__cuda *gpu = state ? state : first_gpu();

    if (!gpu)
        return;
    info->description = gpu->description;
    info->max_dynamic_bytes = gpu->gpu.shared_bytes;
}

const struct lw__device_ops lw__device_cuda = {
    .info =
        {
            .name = "cuda",
            .description = "NVIDIA GPUs",
            .max_shared_bytes = LW_SHARED_BYTES_MAX,
            .max_dynamic_bytes = 96 << 10,
            .max_print_bytes = LW_PRINT_BYTES_MAX,
            .bounds = LW_BOUNDS_OFF,
        },
    .is_gpu = true,
    .target_of = cuda_target,
    .describe = cuda_describe,
    .probe = cuda_probe,
    .open = cuda_open,
    .close = cuda_close,
    .memory_create = lw__gpu_memory_create,
    .memory_destroy = lw__gpu_memory_destroy,
    .memory_write = lw__gpu_memory_write,
    .memory_read = lw__gpu_memory_read,
    .memory_copy = lw__gpu_memory_copy,
    .memory_check = lw__gpu_memory_check,
    .load = lw__cuda_load,
    .unload = lw__cuda_unload,
    .find = lw__cuda_find,
    .suits = cuda_suits,
    .sizes = lw__cuda_sizes,
    .symbol = lw__cuda_symbol,
    .common = lw__cuda_common,
    .guarded = lw__cuda_guarded,
    .check = lw__gpu_check,
    .fill = lw__gpu_fill,
    .queue = &lw__gpu_queue_ops,
    .launch = lw__gpu_launch,
};
