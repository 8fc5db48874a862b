/* device.c - the device `cpu`: kernels as vector code, on all processors.
 *
 * A program for it is a shared object (base/cpu_abi.h). It has the common bitcode, and the code of
 * kernels with BLOCK(...). program/specialize.c has the bitcode compiled for each block size;
 * launch.c runs the kernels.
 */
#include "run/cpu/cpu.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static lw_status cpu_open(const char *name, void **state)
{
    if (strcmp(name, "cpu") != 0)
        return lw__fail(LW_E_DEVICE, "there is no device '%s'; need cpu, without a number", name);
    const struct lw__level *level;
    LW_TRY(lw__cpu_level_choose(&level));
    *state = (void *)level; /* constant: nobody writes there */
    return LW_OK;
}

static const char *cpu_target(void *state)
{
    const struct lw__level *level = state;

    return level->target;
}

static const char *cpu_spare_target(void *state)
{
    return lw__cpu_spare_target(state);
}

static int cpu_vector_bits(const void *state)
{
    const struct lw__level *level = state;

    return level->vector_bits;
}

static bool cpu_has_amx(const void *state)
{
    return lw__cpu_may_use_amx(state);
}

static void cpu_describe(void *state, lw_device_info *info)
{
    static _Thread_local char why[LW_MESSAGE_MAX + 1]; /* until the thread asks again */
    const struct lw__level *level;
    size_t threads;
    enum lw__wish bounds;

    info->description = lw__cpu_describe(state);
    if (state || !(lw__environment_threads(&threads) || lw__environment_bounds(&bounds) ||
                   lw__cpu_level_choose(&level)))
        return;
    snprintf(why, sizeof why, "%s", lw_last_error());
    info->available = false;
    info->unavailable = why;
}

static lw_status cpu_load(void *state, const char *path, const void *payload, size_t bytes,
                          void **code)
{
    (void)state, (void)payload, (void)bytes;
    return lw__code_open(path, code);
}

static void cpu_unload(void *state, void *code)
{
    (void)state;
    dlclose(code);
}

static lw_status cpu_find(void *code, const char *kernel, void **entry)
{
    return lw__code_symbol(code, "lw.cpu", kernel, entry);
}

static int cpu_suits(void *state, const char *target)
{
    return lw__cpu_level_suits(state, target);
}

static lw_status cpu_attach(void *state, const lw_image_code *linked, void **code, void **entry)
{
    (void)state;
    *code = NULL;
    memcpy(entry, &linked->entry, sizeof *entry); /* POSIX: a function fits a void * */
    return LW_OK;
}

static lw_status cpu_symbol(void *code, const char *name, void **value)
{
    return lw__code_symbol(code, LW_SYMBOL_PREFIX, name, value);
}

static lw_status cpu_sizes(void *code, const char *kernel, void **function)
{
    return lw__code_symbol(code, "lw.sizes", kernel, function);
}

static lw_status cpu_common(void *code, const void **bitcode, size_t *bytes)
{
    return lw__code_bitcode(code, "common", bitcode, bytes);
}

static lw_status cpu_guarded(void *code, const void **bitcode, size_t *bytes)
{
    return lw__code_bitcode(code, "guarded", bitcode, bytes);
}

static bool cpu_thread_ready(void)
{
    return lw__cpu_fault_thread() != NULL;
}

/* Several for each thread, so that all end at about the same time. */
static lw_status cpu_fill(void *state, const struct lw__launch *launch, uint32_t *blocks)
{
    enum { BLOCKS_OF_A_THREAD = 8 };

    (void)state, (void)launch;
    *blocks = (uint32_t)lw__pool_size() * BLOCKS_OF_A_THREAD;
    return LW_OK;
}

const struct lw__device_ops lw__device_cpu = {
    .info =
        {
            .name = "cpu",
            .max_shared_bytes = LW_CPU_SHARED_MAX,
            .max_dynamic_bytes = LW_CPU_DYNAMIC_MAX,
            .max_print_bytes = LW_PRINT_BYTES_MAX,
            .bounds = LW_BOUNDS_DEFAULT,
        },
    .traps_faults = true,
    .target_of = cpu_target,
    .spare_target_of = cpu_spare_target,
    .describe = cpu_describe,
    .vector_bits = cpu_vector_bits,
    .has_amx = cpu_has_amx,
    .open = cpu_open,
    .load = cpu_load,
    .unload = cpu_unload,
    .find = cpu_find,
    .suits = cpu_suits,
    .attach = cpu_attach,
    .sizes = cpu_sizes,
    .symbol = cpu_symbol,
    .common = cpu_common,
    .guarded = cpu_guarded,
    .fill = cpu_fill,
    .known_time = lw__cpu_known_time,
    .thread_ready = cpu_thread_ready,
    .launch = lw__cpu_launch,
};
