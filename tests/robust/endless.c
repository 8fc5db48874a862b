/* endless.c - robust_endless DEVICE: kernels that never end are cancelled, given up, or left to run
 * at the process's end. A cancel stops them soon, no thread goes on to work, and others' work runs.
 */
#include "robust.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* Loops without a word that anybody could watch; `n` is how far they go. */
#define SOURCE                                                                                     \
    "#include <lanewise/kernel.h>\n"                                                               \
    "KERNEL void counts(long n, int *x)\n"                                                         \
    "{\n"                                                                                          \
    "    long s = x[0];\n"                                                                         \
    "    for (long i = 0; i < n; i++)\n"                                                           \
    "        s = s * 31 + (s ^ i);\n"                                                              \
    "    x[global_idx.x] = (int)s;\n"                                                              \
    "}\n"                                                                                          \
    "KERNEL void writes(long n, int *x)\n"                                                         \
    "{\n"                                                                                          \
    "    for (long i = 0; i < n; i++)\n"                                                           \
    "        ((volatile int *)x)[global_idx.x] += 1;\n"                                            \
    "}\n"                                                                                          \
    "KERNEL void meets(long n, int *x)\n"                                                          \
    "{\n"                                                                                          \
    "    for (long i = 0; i < n; i++) {\n"                                                         \
    "        barrier();\n"                                                                         \
    "        x[global_idx.x] += block_sum(1);\n"                                                   \
    "    }\n"                                                                                      \
    "}\n"                                                                                          \
    "KERNEL void prints(long n, int *x)\n"                                                         \
    "{\n"                                                                                          \
    "    for (long i = 0; i < n; i++)\n"                                                           \
    "        if (x[0] != -1)\n"                                                                    \
    "            printf(\"%d\\n\", (int)i);\n"                                                     \
    "}\n"                                                                                          \
    "KERNEL void waits(long n, int *x)\n"                                                          \
    "{\n"                                                                                          \
    "    for (unsigned i = 0; ((volatile int *)x)[1]; i++)\n"                                      \
    "        ((volatile int *)x)[2] = (int)(i & 0xffff);\n"                                        \
    "}\n"                                                                                          \
    "struct large {\n"                                                                             \
    "    int a[4096];\n"                                                                           \
    "};\n"                                                                                         \
    "KERNEL void copies(long n, struct large *x)\n"                                                \
    "{\n"                                                                                          \
    "    for (long i = 0; i < n; i++)\n"                                                           \
    "        memcpy(&x[i & 1], &x[2 + (i & 1)], sizeof *x - (size_t)(i & 7));\n"                   \
    "}\n"

#define EVER 10000000000000L

enum { BYTES = 4 * 4096 * 4, LIMIT_NS = 20000000, SECONDS = 100 };

static const char *name = "cpu";
static lw_device *device;
static lw_program *program, *sums;
static lw_buffer *buffer;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds that all threads have worked. */
static double worked(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void prepare(void)
{
    lw_build_options options = {.source = SOURCE};
    device = open_device(name);
    WORKS(lw_program_build(device, "endless.c", &options, &program));
    if (!program)
        exit(1);
    sums = build_sum(device);
    WORKS(lw_buffer_create_structs(device, BYTES / 4, 4, &buffer));
}

static lw_stream *new_stream(void)
{
    lw_stream *stream = NULL;
    WORKS(lw_stream_create(device, &stream));
    return stream;
}

static void launch(lw_stream *stream, const char *kernel, unsigned blocks, long n)
{
    lw_kernel *k = NULL;
    lw_buffer *x = buffer;
    WORKS(lw_program_kernel(program, kernel, &k));
    if (strcmp(kernel, "copies"))
        WORKS(lw_buffer_wrap(device, LW_I32, BYTES / 4, lw_buffer_address(buffer), false, NULL,
                             NULL, &x));
    WORKS(LW_LAUNCH(stream, k, blocks, 96, n, x));
    if (x != buffer)
        lw_buffer_destroy(x);
}

/* A stream whose work somebody has waited for, in vain. */
static lw_stream *overdue(const char *kernel, unsigned blocks)
{
    lw_stream *stream = new_stream();
    launch(stream, kernel, blocks, EVER);
    CHECK(lw_stream_wait_for(stream, LIMIT_NS) == LW_E_TIMEOUT);
    return stream;
}

static void other_work(void)
{
    struct summer s = new_summer(device, sums, 1000);
    for (int i = 0; i < 3; i++)
        sum_once(&s);
    free_summer(&s);
}

/* ---- stopping ---- */

/* On a busy machine it takes longer than the tenth of a second that is promised. */
static void is_over_at_once(lw_stream *stream, const char *kernel)
{
    const double began = now();
    CHECK(lw_stream_wait(stream) == LW_E_LAUNCH);
    if (strcmp(lw_last_error(), "the stream was cancelled")) /* before it began */
        CHECK(strstr(lw_last_error(), kernel) && strstr(lw_last_error(), "cancelled while it ran"));
    lw_stream_destroy(stream);
    CHECK(now() - began < 0.5);
}

static void nobody_works(void)
{
    const double before = worked();
    usleep(40000);
    CHECK(worked() - before < 0.02);
}

static void stops(const char *kernel, unsigned blocks)
{
    lw_stream *stream = overdue(kernel, blocks);
    const double began = now();
    printf("%s %u\n", kernel, blocks);
    lw_stream_cancel(stream);
    lw_stream_cancel(stream);
    CHECK(now() - began < 0.5);
    is_over_at_once(stream, kernel);
    nobody_works();
    other_work();
}

static void all_stop(void)
{
    static const char *const kernels[] = {"counts", "writes", "meets", "prints", "copies"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        stops(kernels[i], 1);
        if (strcmp(kernels[i], "copies")) /* whose blocks would write the same */
            stops(kernels[i], 1000);
    }
    WORKS(lw_trap_faults());
    stops("counts", 1000);
}

static void many_at_once(void)
{
    enum { MANY = 12 };
    lw_stream *streams[MANY];
    for (int i = 0; i < MANY; i++) {
        streams[i] = new_stream();
        launch(streams[i], i % 2 ? "counts" : "writes", 4, EVER);
        launch(streams[i], "counts", 4, 10); /* which is dropped */
    }
    usleep(50000);
    for (int i = 0; i < MANY; i++)
        lw_stream_cancel(streams[i]);
    for (int i = 0; i < MANY; i++) {
        CHECK(lw_stream_wait(streams[i]) == LW_E_LAUNCH);
        lw_stream_destroy(streams[i]);
    }
    nobody_works();
    other_work();
}

/* Launches without an end take all threads, and what comes later has its turn: with a deadline, for
 * which this thread does not run it, and where somebody reads what it writes. */
static void later_ones_run(void)
{
    enum { MOST = 256 };
    static lw_stream *streams[MOST];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int many = processors < MOST ? (int)processors + 1 : MOST;
    for (int i = 0; i < many; i++) {
        streams[i] = new_stream();
        launch(streams[i], "counts", 4, EVER);
    }
    usleep(50000);
    static int done;
    for (int n = 1000; n < 3000; n += 1000) { /* of each of which no time is known */
        lw_stream *stream = new_stream();
        lw_buffer *x;
        lw_kernel *k;
        WORKS(lw_program_kernel(program, "writes", &k));
        WORKS(lw_buffer_create(device, LW_I32, 96, &x));
        WORKS(LW_LAUNCH(stream, k, 1, 96, (long)n, x));
        if (n == 1000)
            WORKS(lw_stream_wait_for(stream, SECONDS * UINT64_C(1000000000)));
        WORKS(lw_buffer_read(x, 95, 1, &done));
        CHECK(done == n);
        lw_buffer_destroy(x);
        lw_stream_destroy(stream);
    }
    for (int i = 0; i < many; i++)
        lw_stream_cancel(streams[i]);
    for (int i = 0; i < many; i++)
        lw_stream_destroy(streams[i]);
    nobody_works();
}

/* To destroy what nobody waits for any more is to cancel it. */
static void destroyed(void)
{
    lw_stream *stream = overdue("counts", 4);
    const double began = now();
    lw_stream_destroy(stream);
    CHECK(now() - began < 0.5);
    nobody_works();
    stream = overdue("counts", 4);
    launch(stream, "counts", 4, 10);
    lw_stream_cancel(stream);
    lw_stream_destroy(stream);
    nobody_works();
}

/* A poll is no reason to lose work that is queued after it. */
static void polled(void)
{
    const int trips = strcmp(name, "cpu") ? 100000 : 3000000;
    lw_stream *stream = new_stream();
    int done = 0;
    launch(stream, "writes", 1, trips);
    CHECK(lw_stream_wait_for(stream, 0) == LW_E_TIMEOUT);
    launch(stream, "writes", 1, 1000);
    lw_stream_destroy(stream);
    memcpy(&done, lw_buffer_address(buffer), sizeof done);
    CHECK(done == trips + 1000);
}

static void *cancel_soon(void *stream)
{
    usleep(100000);
    lw_stream_cancel(stream);
    return NULL;
}

/* The thread that waits may run the launch itself. */
static void cancelled_by_another(void)
{
    for (int i = 0; i < 4; i++) {
        lw_stream *stream = new_stream();
        launch(stream, i % 2 ? "counts" : "writes", 3, EVER);
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, cancel_soon, stream) == 0);
        CHECK(lw_stream_wait(stream) == LW_E_LAUNCH);
        pthread_join(thread, NULL);
        lw_stream_destroy(stream);
    }
    nobody_works();
}

/* A launch that has been short before runs in the thread that queues it, which then has no end. */
static void cancelled_in_its_launch(void)
{
    int *const x = lw_buffer_address(buffer);
    lw_stream *stream = new_stream();
    for (int i = 0; i < 30; i++) {
        launch(stream, "waits", 1, 0);
        WORKS(lw_stream_wait(stream));
    }
    x[1] = 1;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, cancel_soon, stream) == 0);
    launch(stream, "waits", 1, 0);
    CHECK(lw_stream_wait(stream) == LW_E_LAUNCH);
    pthread_join(thread, NULL);
    lw_stream_destroy(stream);
    nobody_works();
}

static void *destroy_it(void *stream)
{
    lw_stream_destroy(stream);
    return NULL;
}

static void destroyed_by_another(void)
{
    lw_stream *stream = new_stream();
    launch(stream, "counts", 3, EVER);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, cancel_soon, stream) == 0);
    CHECK(lw_stream_wait(stream) == LW_E_LAUNCH);
    pthread_join(thread, NULL);
    CHECK(pthread_create(&thread, NULL, destroy_it, stream) == 0);
    pthread_join(thread, NULL);
    other_work();
}

/* ---- what cannot be stopped: this process takes the library's signal away ---- */

static atomic_int releases;

static void on_release(void *memory, void *user)
{
    (void)memory, (void)user;
    releases++;
}

static lw_stream *unstoppable(lw_stream *stream, int *flag)
{
    lw_kernel *k;
    WORKS(lw_program_kernel(program, "counts", &k));
    lw_buffer *x;
    WORKS(lw_buffer_wrap(device, LW_I32, 96, flag, false, on_release, NULL, &x));
    WORKS(LW_LAUNCH(stream, k, 1, 96, EVER, x));
    lw_buffer_destroy(x);
    CHECK(lw_stream_wait_for(stream, LIMIT_NS) == LW_E_TIMEOUT);
    return stream;
}

static void replaced(void)
{
    static int memory[96];
    lw_stream *streams[3];
    if (strcmp(name, "cpu"))
        return;
    lw_stream_destroy(overdue("counts", 1)); /* the handler is there from now on */
    signal(SIGURG, SIG_IGN);
    for (int i = 0; i < 3; i++) {
        streams[i] = unstoppable(new_stream(), memory);
        lw_stream_cancel(streams[i]);
        is_over_at_once(streams[i], "counts");
        other_work();
    }
    CHECK(releases == 0); /* the kernels still use it */
}

/* ---- the end of a process ---- */

static void at_end(void)
{
    launch(new_stream(), "counts", 4, EVER);
}

static void at_end_overdue(void)
{
    overdue("counts", 4);
}

static void at_end_cancelled(void)
{
    lw_stream_cancel(overdue("counts", 4));
    lw_device_close(device);
}

static void at_end_destroyed(void)
{
    lw_stream_destroy(overdue("counts", 4));
    lw_buffer_destroy(buffer);
    lw_program_destroy(program);
    lw_program_destroy(sums);
    lw_device_close(device);
}

static void after_fork(void)
{
    lw_stream *stream = overdue("counts", 4);
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        alarm(20);
        CHECK(lw_stream_wait(stream) == LW_E_LAUNCH);
        lw_stream_destroy(stream);
        other_work();
        lw_stream_destroy(overdue("counts", 4));
        nobody_works();
        exit(failures != 0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    lw_stream_destroy(stream);
    nobody_works();
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"all_stop", all_stop},
    {"many_at_once", many_at_once},
    {"later_ones_run", later_ones_run},
    {"destroyed", destroyed},
    {"polled", polled},
    {"cancelled_by_another", cancelled_by_another},
    {"cancelled_in_its_launch", cancelled_in_its_launch},
    {"destroyed_by_another", destroyed_by_another},
    {"replaced", replaced},
    {"at_end", at_end},
    {"at_end_overdue", at_end_overdue},
    {"at_end_cancelled", at_end_cancelled},
    {"at_end_destroyed", at_end_destroyed},
    {"after_fork", after_fork},
};

enum { CASES = sizeof cases / sizeof *cases };

/* Each case is a process, whose end is part of it. */
static void run_alone(const char *which)
{
    int status = 0;
    printf("%s\n", which);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "robust_endless", name, which, (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    if (status)
        printf("%s: ended with %#x\n", which, (unsigned)status);
    failures += status != 0;
}

int main(int argc, char **argv)
{
    name = argc > 1 ? argv[1] : name;
    for (int i = 0; i < CASES; i++)
        if (argc < 3)
            run_alone(cases[i].name);
        else if (!strcmp(cases[i].name, argv[2])) {
            alarm(SECONDS); /* what does not end is a failure */
            prepare();
            cases[i].run();
        }
    return failures != 0;
}
