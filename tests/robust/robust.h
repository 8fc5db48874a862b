/* robust.h - for the programs of this folder: checks, a kernel, a launch of it with its result.
 */
#include <lanewise/lanewise.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);                                    \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                 \
        }                                                                                          \
    } while (0)

#define WORKS(call)                                                                                \
    do {                                                                                           \
        lw_status status_ = (call);                                                                \
        if (status_) {                                                                             \
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);                                    \
            printf("%s:%d: status %d, %s\n", __FILE__, __LINE__, status_, lw_last_error());        \
        }                                                                                          \
    } while (0)

/* Sums its n numbers in block memory: a barrier, a collective, atomics. */
#define SUM_SOURCE                                                                                 \
    "#include <lanewise/kernel.h>\n"                                                               \
    "SHARED int part[32];\n"                                                                       \
    "KERNEL void sum(int *out, const int *a, int n)\n"                                             \
    "{\n"                                                                                          \
    "    int i = (int)(block_idx.x * block_dim.x + thread_idx.x);\n"                               \
    "    int of_warp = warp_sum(i < n ? a[i] : 0);\n"                                              \
    "    if (lane_id() == 0)\n"                                                                    \
    "        part[thread_idx.x / 32] = of_warp;\n"                                                 \
    "    barrier();\n"                                                                             \
    "    if (thread_idx.x == 0)\n"                                                                 \
    "        for (int w = 0; w < (int)(block_dim.x + 31) / 32; w++)\n"                             \
    "            atomic_add(out, part[w]);\n"                                                      \
    "}\n"

static inline lw_device *open_device(const char *name)
{
    lw_device *device;
    WORKS(lw_device_open(name, &device));
    return device;
}

static inline lw_device *open_ref(void)
{
    return open_device("ref");
}

static inline lw_program *build_sum(lw_device *device)
{
    lw_build_options options = {.source = SUM_SOURCE};
    lw_program *program;
    WORKS(lw_program_build(device, "sum.c", &options, &program));
    if (!program)
        exit(1); /* nothing else would tell more */
    return program;
}

/* What one thread of a host needs to sum 1..n on a device. */
struct summer {
    lw_kernel *kernel;
    lw_stream *stream;
    lw_buffer *out, *in;
    int n;
};

static inline struct summer new_summer(lw_device *device, lw_program *program, int n)
{
    struct summer s = {.n = n};
    int *numbers = malloc(sizeof *numbers * (size_t)n);
    for (int i = 0; i < n; i++)
        numbers[i] = i + 1;
    WORKS(lw_program_kernel(program, "sum", &s.kernel));
    WORKS(lw_stream_create(device, &s.stream));
    WORKS(lw_buffer_create(device, LW_I32, 1, &s.out));
    WORKS(lw_buffer_create(device, LW_I32, (size_t)n, &s.in));
    WORKS(lw_buffer_write(s.in, 0, (size_t)n, numbers));
    free(numbers);
    return s;
}

static inline void sum_once(const struct summer *s)
{
    int zero = 0, sum = -1;
    WORKS(lw_buffer_fill(s->out, &zero));
    WORKS(LW_LAUNCH(s->stream, s->kernel, (s->n + 63) / 64, 64, s->out, s->in, s->n));
    WORKS(lw_stream_wait(s->stream));
    WORKS(lw_buffer_read(s->out, 0, 1, &sum));
    CHECK(sum == s->n * (s->n + 1) / 2);
}

static inline void free_summer(struct summer *s)
{
    lw_stream_destroy(s->stream);
    lw_buffer_destroy(s->out);
    lw_buffer_destroy(s->in);
}

/* Build, launch, compare. */
static inline void build_and_sum(lw_device *device)
{
    lw_program *program = build_sum(device);
    struct summer s = new_summer(device, program, 100);
    sum_once(&s);
    free_summer(&s);
    lw_program_destroy(program);
}
