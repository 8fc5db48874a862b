/* run_test.h - for the unit tests of src/base and src/run: checks, and a compiler that can be told
 * what to do.
 *
 * Programs are built by the test double fake_compile, so the "source" of a test program is the
 * manifest it wants: rows without the first and the last. The environment names the double
 * (LANEWISE_COMPILE); the cache is off unless a test turns it on.
 */
#include "run/launch/launch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

static inline void check(bool right, const char *what, const char *file, int line)
{
    if (right)
        return;
    __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    printf("%s:%d: %s\n", file, line, what);
}

static inline void check_fails(lw_status got, lw_status status, const char *text, const char *file,
                               int line)
{
    if (got == status && !strcmp(lw_last_error(), text))
        return;
    __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    printf("%s:%d: status %d, need %d\n    got  \"%s\"\n    need \"%s\"\n", file, line, got, status,
           lw_last_error(), text);
}

static inline void check_works(lw_status got, const char *file, int line)
{
    if (got == LW_OK)
        return;
    __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    printf("%s:%d: status %d, \"%s\"\n", file, line, got, lw_last_error());
}

#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
#define FAILS(call, status, text) check_fails((call), (status), (text), __FILE__, __LINE__)
#define WORKS(call) check_works((call), __FILE__, __LINE__)

/* LW_LAUNCH without the note for the next wait. */
#define LAUNCH(stream, kernel, grid, block, ...)                                                   \
    lw_stream_launch(stream, kernel, LW__DIM(grid), LW__DIM(block), NULL,                          \
                     (const lw_arg[]){LW__EACH(__VA_ARGS__)},                                      \
                     sizeof((const lw_arg[]){LW__EACH(__VA_ARGS__)}) / sizeof(lw_arg))

/* Arguments: three buffers and a number, 28 bytes. */
#define ADD_ROWS                                                                                   \
    "kernel\tadd\tvoid add(float *out, const float *a, const float *b, int "                       \
    "n)\t3\t0\t0\t0\t0\t0\t28\n"                                                                   \
    "param\tout\tfloat *\tp(f32)\t0\t8\t0\n"                                                       \
    "param\ta\tconst float *\tpc(f32)\t8\t8\t0\n"                                                  \
    "param\tb\tconst float *\tpc(f32)\t16\t8\t0\n"                                                 \
    "param\tn\tint\ti32\t24\t4\t0\n"

/* Build a program from rows. */
static inline lw_program *build_rows(lw_device *device, const char *rows)
{
    lw_build_options options = {.source = rows};
    lw_program *program;

    WORKS(lw_program_build(device, "test.c", &options, &program));
    return program;
}

static inline lw_kernel *first_kernel(lw_program *program)
{
    lw_kernel *kernel;

    WORKS(lw_program_kernel_at(program, 0, &kernel));
    return kernel;
}

static inline lw_device *open_device(const char *name)
{
    lw_device *device;

    WORKS(lw_device_open(name, &device));
    return device;
}

/* A device of the test's own, closed like any other. */
static inline lw_device *open_own(const struct lw__device_ops *ops)
{
    lw_device *device = calloc(1, sizeof *device);

    atomic_init(&device->holds, 1);
    device->ops = ops;
    device->hooks = &lw__device_hooks;
    device->info = ops->info;
    return device;
}
