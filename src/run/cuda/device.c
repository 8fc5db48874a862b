/* device.c - the device `cuda`: NVIDIA GPUs, each of them `cuda:N`.
 *
 * Some errors of the driver invalidate the context: a kernel that accessed memory outside its
 * buffers, or a GPU that fell off the bus. The GPU is then lost: every call fails and names the
 * kernel, until all users of the GPU have closed it. The last of them resets the context, so the
 * next user gets a new one.
 */
#include "run/cuda/cuda.h"
#include "run/report/report.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GPUS_MAX = 64,
    CAPABILITY_MIN = 70,
    CAPABILITY_MAX = 90, /* that lanewise-compile knows; newer GPUs take its code */
    NAMES_MAX = 4,       /* of kernels that may have lost the GPU */
    MEMORY_MIN = 256,
    MEMORY_STEP = 4, /* atomic operations on bytes take the four around them */
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct lw__cuda *table[GPUS_MAX]; /* of those that are open */

/* ---- failing ---- */

static bool ends_context(int result)
{
    switch (result) {
    case LW_CU_ECC_UNCORRECTABLE:
    case LW_CU_NVLINK_UNCORRECTABLE:
    case LW_CU_ILLEGAL_ADDRESS:
    case LW_CU_LAUNCH_TIMEOUT:
    case LW_CU_CONTEXT_IS_DESTROYED:
    case LW_CU_ASSERT: return true;
    default: return result >= LW_CU_HARDWARE_STACK_ERROR && result <= LW_CU_LAUNCH_FAILED;
    }
}

static bool is_among(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* False: there is no room for one more. */
static bool add_name(const char *name, const char **names, int *count)
{
    if (is_among(name, names, *count))
        return true;
    if (*count == NAMES_MAX)
        return false;
    names[(*count)++] = name;
    return true;
}

/* Locked. The driver does not say whose fault it was: the kernels that were under way. */
static void add_suspects(const struct lw__cuda *gpu, struct lw__message *m)
{
    const char *names[NAMES_MAX];
    int count = 0, more = 0;

    for (const struct lw__cuda_queue *q = gpu->queues; q; q = q->next) {
        if (*q->last_kernel)
            more |= !add_name(q->last_kernel, names, &count);
        for (const struct lw__cuda_flight *f = q->under_way; f; f = f->next) {
            if (!f->batch)
                more |= !add_name(f->kernel, names, &count);
            for (size_t k = 0; f->batch && k < f->batch->count; k++)
                more |= !add_name(f->batch->nodes[k].kernel, names, &count);
        }
    }
    if (!count)
        lw__message_add(m, "no launch was under way");
    for (int i = 0; i < count; i++)
        lw__message_add(m, "%s'%s'",
                        i           ? ", "
                        : count > 1 ? "one of the kernels "
                                    : "kernel ",
                        names[i]);
    lw__message_add(m, "%s: ", more ? " and others" : "");
}

static void lose(struct lw__cuda *gpu, int result)
{
    char text[LW_CUDA_RESULT_ROOM];
    struct lw__message m = {0};

    pthread_mutex_lock(&gpu->lock);
    if (!atomic_load(&gpu->is_lost)) {
        add_suspects(gpu, &m);
        lw__message_add(&m, "%s", lw__cuda_result_text(gpu->driver, result, text, sizeof text));
        memcpy(gpu->loss, m.text, sizeof m.text);
        atomic_store_explicit(&gpu->is_lost, true, memory_order_release);
    }
    pthread_mutex_unlock(&gpu->lock);
}

lw_status lw__cuda_fail_lost(struct lw__cuda *gpu, lw_status status)
{
    if (status == LW_E_LAUNCH)
        return lw__fail(status, "%s; device '%s' is lost", gpu->loss, gpu->name);
    return lw__fail(status, "device '%s' is lost (%s); close all that uses it, then open it anew",
                    gpu->name, gpu->loss);
}

lw_status lw__cuda_fail(struct lw__cuda *gpu, int result, const char *format, ...)
{
    char what[256], text[LW_CUDA_RESULT_ROOM];
    va_list arguments;

    if (ends_context(result)) {
        lose(gpu, result);
        return lw__cuda_fail_lost(gpu, LW_E_DEVICE);
    }
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return lw__fail(result == LW_CU_OUT_OF_MEMORY ? LW_E_MEMORY : LW_E_DEVICE, "%s: %s", what,
                    lw__cuda_result_text(gpu->driver, result, text, sizeof text));
}

lw_status lw__cuda_enter(struct lw__cuda *gpu)
{
    int result;

    if (lw__cuda_is_forked())
        return lw__cuda_fail_forked();
    if (atomic_load_explicit(&gpu->is_lost, memory_order_acquire))
        return lw__cuda_fail_lost(gpu, LW_E_DEVICE);
    result = gpu->driver->context_push(gpu->context);
    return result ? lw__cuda_fail(gpu, result, "device '%s' cannot be used", gpu->name) : LW_OK;
}

/* Objects of a lost GPU are released with its context. */
bool lw__cuda_enter_to_release(struct lw__cuda *gpu)
{
    return !lw__cuda_is_forked() && !atomic_load_explicit(&gpu->is_lost, memory_order_acquire) &&
           !gpu->driver->context_push(gpu->context);
}

void lw__cuda_leave(struct lw__cuda *gpu)
{
    struct cu_context *context;

    (void)gpu->driver->context_pop(&context);
}

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
    result = result ? result : cu->device_attribute(&gpu->processors, LW_CU_PROCESSORS, d);
    result =
        result ? result : cu->device_attribute(&gpu->processor_threads, LW_CU_PROCESSOR_THREADS, d);
    result = result ? result : cu->device_attribute(&shared, LW_CU_BLOCK_SHARED_BYTES, d);
    result = result ? result : cu->version(&version);
    *capability = 10 * major + minor;
    gpu->shared_bytes = (size_t)shared;
    snprintf(gpu->name, sizeof gpu->name, "cuda:%d", gpu->ordinal);
    snprintf(gpu->target, sizeof gpu->target, "cuda:sm_%d",
             *capability > CAPABILITY_MAX ? CAPABILITY_MAX : *capability);
    snprintf(gpu->description, sizeof gpu->description,
             "%s, %.1f GiB, %d processors, sm_%d, driver for CUDA %d.%d", name,
             (double)bytes / (1 << 30), gpu->processors, *capability, version / 1000,
             version % 1000 / 10);
    return result;
}

static lw_status describe(struct lw__cuda *gpu)
{
    int capability, result = ask(gpu, &capability);

    if (result)
        return lw__cuda_fail(gpu, result, "device '%s' does not say what it is", gpu->name);
    return capability >= CAPABILITY_MIN
               ? LW_OK
               : lw__fail(LW_E_DEVICE,
                          "device '%s' has compute capability %d.%d; need %d.%d or newer",
                          gpu->name, capability / 10, capability % 10, CAPABILITY_MIN / 10,
                          CAPABILITY_MIN % 10);
}

/* ---- opening ---- */

static lw_status parse(const char *name, int *ordinal)
{
    const char *digits = name + strlen("cuda");
    char *end = NULL;
    long number;

    *ordinal = 0;
    if (!*digits)
        return LW_OK;
    digits++;
    number = *digits >= '0' && *digits <= '9' ? strtol(digits, &end, 10) : -1;
    if (number < 0 || *end)
        return lw__fail(LW_E_DEVICE, "there is no device '%s'; need cuda or cuda:N", name);
    *ordinal = number < GPUS_MAX ? (int)number : GPUS_MAX;
    return LW_OK;
}

static lw_status check_ordinal(const struct lw__cuda_driver *driver, const char *name, int ordinal)
{
    char text[LW_CUDA_RESULT_ROOM];
    int count = 0, result = driver->device_count(&count);

    if (result)
        return lw__fail(LW_E_DEVICE, "device '%s' cannot be opened: %s", name,
                        lw__cuda_result_text(driver, result, text, sizeof text));
    return ordinal < count && ordinal < GPUS_MAX
               ? LW_OK
               : lw__fail(LW_E_DEVICE, "there is no device '%s'; GPUs here: %d, cuda:0 to cuda:%d",
                          name, count, count - 1);
}

static lw_status start(struct lw__cuda *gpu)
{
    int result;

    LW_TRY(describe(gpu));
    result = gpu->driver->context_retain(&gpu->context, gpu->device);
    if (result)
        return lw__cuda_fail(gpu, result, "device '%s' cannot be opened", gpu->name);
    LW_TRY(lw__cuda_enter(gpu));
    result = gpu->driver->stream_create(&gpu->copies, LW_CU_STREAM_NON_BLOCKING);
    lw__cuda_leave(gpu);
    return result ? lw__cuda_fail(gpu, result, "device '%s' cannot be opened", gpu->name) : LW_OK;
}

/* The driver takes a lost context down with all in it, also for others in this process: for them
 * it was lost as well. */
static void stop(struct lw__cuda *gpu)
{
    const bool is_lost = atomic_load(&gpu->is_lost);

    const bool is_entered = gpu->copies && lw__cuda_enter_to_release(gpu);

    lw__cuda_free_marks(gpu, is_entered);
    if (is_entered) {
        (void)gpu->driver->stream_destroy(gpu->copies);
        lw__cuda_leave(gpu);
    }
    if (gpu->context && !lw__cuda_is_forked()) {
        (void)gpu->driver->context_release(gpu->device);
        if (is_lost)
            (void)gpu->driver->context_reset(gpu->device);
    }
    pthread_mutex_destroy(&gpu->lock);
    free(gpu);
}

static lw_status open_first(const struct lw__cuda_driver *driver, int ordinal,
                            struct lw__cuda **out)
{
    struct lw__cuda *gpu = calloc(1, sizeof *gpu);
    lw_status status;

    if (!gpu)
        return lw__fail(LW_E_MEMORY, "out of memory: a device");
    gpu->driver = driver;
    gpu->ordinal = ordinal;
    atomic_init(&gpu->holds, 1);
    atomic_init(&gpu->is_lost, false);
    pthread_mutex_init(&gpu->lock, NULL);
    status = start(gpu);
    if (atomic_load(&gpu->is_lost))
        status =
            lw__fail(LW_E_DEVICE, "device '%s' cannot be opened (%s); it may take a new process",
                     gpu->name, gpu->loss);
    if (status)
        stop(gpu);
    else
        *out = gpu;
    return status;
}

static lw_status cuda_open(const char *name, void **state)
{
    const struct lw__cuda_driver *driver;
    lw_status status = LW_OK;
    int ordinal;

    LW_TRY(parse(name, &ordinal));
    LW_TRY(lw__cuda_driver(&driver));
    LW_TRY(check_ordinal(driver, name, ordinal));
    pthread_mutex_lock(&table_lock);
    if (!table[ordinal])
        status = open_first(driver, ordinal, &table[ordinal]);
    else if (atomic_load(&table[ordinal]->is_lost))
        status = lw__cuda_fail_lost(table[ordinal], LW_E_DEVICE);
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
    info->max_dynamic_bytes = gpu->shared_bytes;
}

/* ---- memory ---- */

int lw__cuda_copied(const struct lw__cuda *gpu, int result)
{
    return result ? result : gpu->driver->stream_wait(gpu->copies);
}

/* Entered. All zero; one of no bytes has an address too. */
static int create(struct lw__cuda *gpu, size_t bytes, uint64_t *memory)
{
    int result;

    bytes = bytes < MEMORY_MIN ? MEMORY_MIN : (bytes + MEMORY_STEP - 1) / MEMORY_STEP * MEMORY_STEP;
    result = gpu->driver->memory_create(memory, bytes);
    if (result)
        return result;
    result = lw__cuda_copied(gpu, gpu->driver->memory_fill(*memory, 0, bytes, gpu->copies));
    if (result)
        (void)gpu->driver->memory_destroy(*memory);
    return result;
}

static lw_status cuda_memory_create(void *state, size_t bytes, void **memory)
{
    struct lw__cuda *gpu = state;
    uint64_t address = 0;
    size_t unused = 0, total = 0;
    int result;

    *memory = NULL;
    LW_TRY(lw__cuda_enter(gpu));
    result = create(gpu, bytes, &address);
    if (result == LW_CU_OUT_OF_MEMORY)
        (void)gpu->driver->memory_info(&unused, &total);
    lw__cuda_leave(gpu);
    if (result == LW_CU_OUT_OF_MEMORY)
        return lw__fail(LW_E_MEMORY,
                        "out of memory: a buffer of %zu bytes; device '%s' has %zu of %zu bytes "
                        "left",
                        bytes, gpu->name, unused, total);
    if (result)
        return lw__cuda_fail(gpu, result, "device '%s': a buffer of %zu bytes", gpu->name, bytes);
    *memory = (void *)(uintptr_t)address;
    return LW_OK;
}

static void cuda_memory_destroy(void *state, void *memory)
{
    struct lw__cuda *gpu = state;

    if (!lw__cuda_enter_to_release(gpu))
        return;
    (void)gpu->driver->memory_destroy((uintptr_t)memory);
    lw__cuda_leave(gpu);
}

static lw_status cuda_memory_write(void *state, void *to, const void *from, size_t bytes)
{
    struct lw__cuda *gpu = state;
    int result;

    LW_TRY(lw__cuda_enter(gpu));
    result =
        lw__cuda_copied(gpu, gpu->driver->memory_write((uintptr_t)to, from, bytes, gpu->copies));
    lw__cuda_leave(gpu);
    return result ? lw__cuda_fail(gpu, result, "device '%s': writing %zu bytes of a buffer",
                                  gpu->name, bytes)
                  : LW_OK;
}

static lw_status cuda_memory_read(void *state, void *to, const void *from, size_t bytes)
{
    struct lw__cuda *gpu = state;
    int result;

    LW_TRY(lw__cuda_enter(gpu));
    result =
        lw__cuda_copied(gpu, gpu->driver->memory_read(to, (uintptr_t)from, bytes, gpu->copies));
    lw__cuda_leave(gpu);
    return result ? lw__cuda_fail(gpu, result, "device '%s': reading %zu bytes of a buffer",
                                  gpu->name, bytes)
                  : LW_OK;
}

/* Asks for access to the other GPU's memory: copies then go past the host. Where there is no way,
 * or it was asked for before, that is an error that changes nothing. */
static lw_status cuda_memory_copy(void *state, void *to, void *from_state, const void *from,
                                  size_t bytes)
{
    struct lw__cuda *gpu = state, *other = from_state;
    int result;

    LW_TRY(lw__cuda_enter(gpu));
    if (other != gpu)
        (void)gpu->driver->context_reaches(other->context, 0);
    result =
        lw__cuda_copied(gpu, gpu->driver->memory_copy((uintptr_t)to, gpu->context, (uintptr_t)from,
                                                      other->context, bytes, gpu->copies));
    lw__cuda_leave(gpu);
    return result ? lw__cuda_fail(gpu, result, "device '%s': copying %zu bytes from device '%s'",
                                  gpu->name, bytes, other->name)
                  : LW_OK;
}

/* Entered. */
static int find_memory(const struct lw__cuda *gpu, uint64_t address)
{
    uint64_t there = 0;

    return gpu->driver->pointer_attribute(&there, LW_CU_POINTER_DEVICE_ADDRESS, address);
}

/* A kernel that uses what it cannot access loses the GPU, so its ends are looked up before. */
static lw_status cuda_memory_check(void *state, const void *memory, size_t bytes)
{
    const uint64_t first = (uintptr_t)memory, last = first + bytes - 1;
    struct lw__cuda *gpu = state;
    char text[LW_CUDA_RESULT_ROOM];
    int result;

    LW_TRY(lw__cuda_enter(gpu));
    result = last < first ? LW_CU_INVALID_VALUE : find_memory(gpu, first);
    result = result ? result : find_memory(gpu, last);
    lw__cuda_leave(gpu);
    if (result == LW_CU_INVALID_VALUE)
        return lw__fail(LW_E_ARG, "%zu bytes at %p are not memory that device '%s' can access: %s",
                        bytes, memory, gpu->name,
                        lw__cuda_result_text(gpu->driver, result, text, sizeof text));
    return result ? lw__cuda_fail(gpu, result, "device '%s': the memory at %p", gpu->name, memory)
                  : LW_OK;
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
    .memory_create = cuda_memory_create,
    .memory_destroy = cuda_memory_destroy,
    .memory_write = cuda_memory_write,
    .memory_read = cuda_memory_read,
    .memory_copy = cuda_memory_copy,
    .memory_check = cuda_memory_check,
    .load = lw__cuda_load,
    .unload = lw__cuda_unload,
    .find = lw__cuda_find,
    .suits = cuda_suits,
    .sizes = lw__cuda_sizes,
    .common = lw__cuda_common,
    .guarded = lw__cuda_guarded,
    .check = lw__cuda_check,
    .fill = lw__cuda_fill,
    .queue = &lw__cuda_queue_ops,
    .launch = lw__cuda_launch,
};
