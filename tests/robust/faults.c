/* faults.c - eight threads run kernels that leave their buffers, all at once, and each between them
 * one that does not: a fault fails its own stream and nothing else. Also run under ASan and TSan.
 *
 *     robust_faults ROUNDS
 */
#include "robust.h"
#include <pthread.h>

enum { THREADS = 8, COUNT = 2000, BEYOND = 3000 };

/* The lines that the messages name are those of the accesses. */
#define SOURCE                                                                                     \
    "#include <lanewise/kernel.h>\n"                                                               \
    "KERNEL void writes(float *out, long by)\n"                                                    \
    "{\n"                                                                                          \
    "    long i = (long)global_idx.x;\n"                                                           \
    "    out[i + by] = 1;\n"                                                                       \
    "}\n"                                                                                          \
    "KERNEL void reads(float *out, long by)\n"                                                     \
    "{\n"                                                                                          \
    "    SHARED float part[1024];\n"                                                               \
    "    part[thread_idx.x] = out[global_idx.x];\n"                                                \
    "    barrier();\n"                                                                             \
    "    out[0] = block_sum(out[(long)global_idx.x + by]) + part[0];\n"                            \
    "}\n"                                                                                          \
    "KERNEL void adds(float *out, long by)\n"                                                      \
    "{\n"                                                                                          \
    "    atomic_add(&out[by], 1);\n"                                                               \
    "}\n"

static const struct {
    const char *kernel, *place;
} cases[] = {{"writes", "bad.c:5,"}, {"reads", "bad.c:12,"}, {"adds", "bad.c:16,"}};

static int rounds;
static lw_device *device;
static lw_program *bad, *good;
static pthread_barrier_t together;

static void fault_once(size_t number, lw_buffer *buffer)
{
    const size_t which = number % (sizeof cases / sizeof *cases);
    lw_kernel *kernel;
    WORKS(lw_program_kernel(bad, cases[which].kernel, &kernel));
    lw_stream *stream;
    WORKS(lw_stream_create(device, &stream));
    pthread_barrier_wait(&together);
    WORKS(
        LW_LAUNCH(stream, kernel, COUNT / 250, 250, buffer, (long)(number & 1 ? BEYOND : -BEYOND)));
    for (int i = 0; i < 2; i++) { /* it stays failed */
        CHECK(lw_stream_wait(stream) == LW_E_LAUNCH);
        CHECK(strstr(lw_last_error(), "accessed memory outside its buffers near "));
        CHECK(strstr(lw_last_error(), cases[which].kernel));
        CHECK(strstr(lw_last_error(), cases[which].place));
        CHECK(strstr(lw_last_error(), ", block "));
    }
    lw_stream_destroy(stream);
}

static void *work(void *number)
{
    struct summer s = new_summer(device, good, 100 + (int)(size_t)number);
    lw_buffer *buffer;
    WORKS(lw_buffer_create(device, LW_F32, COUNT, &buffer));
    for (int i = 0; i < rounds; i++) {
        fault_once((size_t)number + (size_t)i, buffer);
        sum_once(&s);
    }
    lw_buffer_destroy(buffer);
    free_summer(&s);
    return NULL;
}

int main(int count, char **words)
{
    lw_build_options options = {.source = SOURCE};
    pthread_t threads[THREADS];
    rounds = count > 1 ? atoi(words[1]) : 20;
    setenv("LANEWISE_BOUNDS", "0", 1);
    WORKS(lw_trap_faults());
    WORKS(lw_trap_faults());
    device = open_device("cpu");
    good = build_sum(device);
    WORKS(lw_program_build(device, "bad.c", &options, &bad));
    if (failures)
        return 1;
    pthread_barrier_init(&together, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
    lw_program_destroy(bad);
    lw_program_destroy(good);
    lw_device_close(device);
    return failures != 0;
}
