/* memory.c - buffers in a GPU's memory. */
#include "run/gpu/gpu.h"

enum {
    MEMORY_MIN = 256,
    MEMORY_STEP = 4, /* atomic operations on bytes take the four around them */
};

/* Entered. All zero; one of no bytes has an address too. */
static int create(struct lw__gpu *gpu, size_t bytes, uint64_t *memory)
{
    bytes = bytes < MEMORY_MIN ? MEMORY_MIN : (bytes + MEMORY_STEP - 1) / MEMORY_STEP * MEMORY_STEP;
    int result = gpu->driver->memory_create(memory, bytes);
    if (result)
        return result;
    result = lw__gpu_copied(gpu, gpu->driver->memory_fill(*memory, 0, bytes, gpu->copies));
    if (result)
        (void)gpu->driver->memory_destroy(*memory);
    return result;
}

lw_status lw__gpu_memory_create(void *state, size_t bytes, void **memory)
{
    struct lw__gpu *gpu = state;
    uint64_t address = 0;
    size_t unused = 0, total = 0;

    *memory = NULL;
    LW_TRY(lw__gpu_enter(gpu));
    int result = create(gpu, bytes, &address);
    if (result == gpu->driver->out_of_memory)
        (void)gpu->driver->memory_info(&unused, &total);
    lw__gpu_leave(gpu);
    if (result == gpu->driver->out_of_memory)
        return lw__fail(LW_E_MEMORY,
                        "out of memory: a buffer of %zu bytes; device '%s' has %zu of %zu bytes "
                        "left",
                        bytes, gpu->name, unused, total);
    LW_TRY(lw__gpu_result(gpu, result, "device '%s': a buffer of %zu bytes", gpu->name, bytes));
    *memory = (void *)(uintptr_t)address;
    return LW_OK;
}

void lw__gpu_memory_destroy(void *state, void *memory)
{
    struct lw__gpu *gpu = state;

    if (!lw__gpu_enter_to_release(gpu))
        return;
    (void)gpu->driver->memory_destroy((uintptr_t)memory);
    lw__gpu_leave(gpu);
}

lw_status lw__gpu_memory_write(void *state, void *to, const void *from, size_t bytes)
{
    struct lw__gpu *gpu = state;

    LW_TRY(lw__gpu_enter(gpu));
    int result;
    result =
        lw__gpu_copied(gpu, gpu->driver->memory_write((uintptr_t)to, from, bytes, gpu->copies));
    lw__gpu_leave(gpu);
    return lw__gpu_result(gpu, result, "device '%s': writing %zu bytes of a buffer", gpu->name,
                          bytes);
}

lw_status lw__gpu_memory_read(void *state, void *to, const void *from, size_t bytes)
{
    struct lw__gpu *gpu = state;

    LW_TRY(lw__gpu_enter(gpu));
    int result =
        lw__gpu_copied(gpu, gpu->driver->memory_read(to, (uintptr_t)from, bytes, gpu->copies));
    lw__gpu_leave(gpu);
    return lw__gpu_result(gpu, result, "device '%s': reading %zu bytes of a buffer", gpu->name,
                          bytes);
}

/* Asks for access to the other GPU's memory: copies then go past the host. Where there is no way,
 * or it was asked for before, that is an error that changes nothing. */
lw_status lw__gpu_memory_copy(void *state, void *to, void *from_state, const void *from,
                              size_t bytes)
{
    struct lw__gpu *gpu = state, *other = from_state;

    LW_TRY(lw__gpu_enter(gpu));
    if (other != gpu)
        (void)gpu->driver->context_reaches(other->context, 0);
    int result;
    result =
        lw__gpu_copied(gpu, gpu->driver->memory_copy((uintptr_t)to, gpu->context, (uintptr_t)from,
                                                     other->context, bytes, gpu->copies));
    lw__gpu_leave(gpu);
    return lw__gpu_result(gpu, result, "device '%s': copying %zu bytes from device '%s'", gpu->name,
                          bytes, other->name);
}

/* A kernel that uses what it cannot access loses the GPU, so its ends are looked up before. */
lw_status lw__gpu_memory_check(void *state, const void *memory, size_t bytes)
{
    const uint64_t first = (uintptr_t)memory, last = first + bytes - 1;
    struct lw__gpu *gpu = state;
    char text[LW_GPU_RESULT_ROOM];

    LW_TRY(lw__gpu_enter(gpu));
    int result = last < first ? gpu->driver->invalid_value : gpu->driver->address_check(first);
    result = result ? result : gpu->driver->address_check(last);
    lw__gpu_leave(gpu);
    if (result == gpu->driver->invalid_value)
        return lw__fail(LW_E_ARG, "%zu bytes at %p are not memory that device '%s' can access: %s",
                        bytes, memory, gpu->name, gpu->driver->result_text(result, text));
    return lw__gpu_result(gpu, result, "device '%s': the memory at %p", gpu->name, memory);
}
