/* threads.c - eight threads launch real kernels on `ref` and then on `cpu`: on a device they share
 * and on their own, on a stream they share and on their own. Also run under TSan and valgrind.
 *
 *     robust_threads ROUNDS
 */
#include "robust.h"
#include <pthread.h>

enum { THREADS = 8 };

static int rounds;
static const char *device_name;
static lw_device *shared_device;
static lw_program *shared_program;
static lw_stream *shared_stream;
static lw_buffer *shared_out, *shared_in;

/* Launches of all threads on one stream add up in one buffer. */
static void add_to_shared(void)
{
    lw_kernel *kernel;
    WORKS(lw_program_kernel(shared_program, "sum", &kernel));
    for (int i = 0; i < rounds; i++)
        WORKS(LW_LAUNCH(shared_stream, kernel, 2, 64, shared_out, shared_in, 128));
    WORKS(lw_stream_wait(shared_stream));
}

static void *work(void *number)
{
    bool is_own = (size_t)number % 2;
    lw_device *device = is_own ? open_device(device_name) : shared_device;
    lw_program *program = is_own ? build_sum(device) : shared_program;
    struct summer s = new_summer(device, program, 100 + (int)(size_t)number);
    for (int i = 0; i < rounds; i++)
        sum_once(&s);
    add_to_shared();
    free_summer(&s);
    if (is_own) {
        lw_program_destroy(program);
        lw_device_close(device);
    }
    return NULL;
}

static void on_device(const char *name)
{
    pthread_t threads[THREADS];
    int ones[128], total = 0;
    device_name = name;
    shared_device = open_device(name);
    shared_program = build_sum(shared_device);
    WORKS(lw_stream_create(shared_device, &shared_stream));
    WORKS(lw_buffer_create(shared_device, LW_I32, 1, &shared_out));
    WORKS(lw_buffer_create(shared_device, LW_I32, 128, &shared_in));
    for (int i = 0; i < 128; i++)
        ones[i] = 1;
    WORKS(lw_buffer_write(shared_in, 0, 128, ones));
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    WORKS(lw_buffer_read(shared_out, 0, 1, &total));
    CHECK(total == THREADS * rounds * 128);
    lw_stream_destroy(shared_stream);
    lw_buffer_destroy(shared_out);
    lw_buffer_destroy(shared_in);
    lw_program_destroy(shared_program);
    lw_device_close(shared_device);
}

int main(int count, char **words)
{
    rounds = count > 1 ? atoi(words[1]) : 20;
    on_device("ref");
    on_device("cpu");
    return failures != 0;
}
