/* The device `cpu` from its side: kernels written by hand (cpu_payload.c), the compiler a double.
 *
 *     run_cpu            everything
 *     run_cpu threads    what depends on LANEWISE_NUM_THREADS
 */
#include "run_test.h"
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <xmmintrin.h>

extern char **environ;

#define ROW(name, block, shared)                                                                   \
    "kernel\t" name "\tvoid " name "(unsigned long *out, long n)\t1\t" block "\t" shared           \
    "\t0\t16\nparam\tout\tunsigned long *\tp(u64)\t0\t8\t0\nparam\tn\tlong\ti64\t8\t8\t0\n"
#define ANY "0\t0\t0"

static const char rows[] =
    ROW("empty", ANY, "0") ROW("total", ANY, "0") ROW("cover", ANY, "0") ROW("look_back", ANY, "0")
        ROW("fails", ANY, "0") ROW("stops", ANY, "0") ROW("diverges", ANY, "0")
            ROW("prints", ANY, "0") ROW("memory", ANY, "1000") ROW("frame", ANY, "1000")
                ROW("floats", ANY, "0") ROW("who", "16\t1\t1", "0") ROW("until", ANY, "0");

static lw_device *device;
static lw_program *program;
static lw_stream *stream;
static lw_buffer *out;
enum { OUT_COUNT = 1 << 17 };

static void set_up(void)
{
    device = open_device("cpu");
    program = build_rows(device, rows);
    WORKS(lw_stream_create(device, &stream));
    WORKS(lw_buffer_create(device, LW_U64, OUT_COUNT, &out));
}

static void tear_down(void)
{
    lw_stream_destroy(stream);
    lw_buffer_destroy(out);
    lw_program_destroy(program);
    lw_device_close(device);
}

static lw_kernel *kernel(const char *name)
{
    lw_kernel *k;

    WORKS(lw_program_kernel(program, name, &k));
    return k;
}

static uint64_t out_at(size_t index)
{
    uint64_t value;

    WORKS(lw_buffer_read(out, index, 1, &value));
    return value;
}

static void clear(void)
{
    WORKS(lw_buffer_fill(out, &(uint64_t){0}));
}

/* Launch, wait, and a new stream after a failure. */
static lw_status run(const char *name, lw_dim3 grid, uint32_t block, int64_t n)
{
    lw_status status = LAUNCH(stream, kernel(name), grid, block, out, n);
    char error[LW_MESSAGE_MAX + 1];

    if (!status)
        status = lw_stream_wait(stream);
    if (!status)
        return status;
    strcpy(error, lw_last_error());
    lw_stream_destroy(stream);
    WORKS(lw_stream_create(device, &stream));
    return lw__fail(status, "%s", error);
}

/* ---- with every number of threads ---- */

static void covers(uint64_t blocks, lw_dim3 grid)
{
    static uint64_t hits[OUT_COUNT], launches;

    for (int again = 0; again < 3; again++) {
        clear();
        launches++;
        WORKS(lw_buffer_write(out, blocks + 1, 1, &launches));
        WORKS(run("cover", grid, 32, (int64_t)blocks));
        WORKS(lw_buffer_read(out, 0, blocks + 1, hits));
        for (uint64_t b = 0; b < blocks; b++)
            if (hits[b] != 1)
                CHECK(hits[b] == 1);
        CHECK(hits[blocks] == 0);
    }
}

static void chunks(void)
{
    covers(1, lw_dim_1(1));
    covers(2, lw_dim_1(2));
    covers(105, lw_dim_3(7, 5, 3));
    covers(4099, lw_dim_1(4099));
    covers(1 << 16, lw_dim_3(1, 256, 256));
    clear();
    WORKS(run("look_back", lw_dim_1(3000), 32, 0));
    CHECK(out_at(0) == 3000);
}

static void suggests(void)
{
    lw_dim3 grid, block;

    WORKS(lw_kernel_suggest(kernel("total"), NULL, &grid, &block));
    CHECK(block.x == 256 && block.y == 1 && block.z == 1);
    CHECK(grid.x == 8 * lw__pool_size() && grid.y == 1 && grid.z == 1);
    WORKS(lw_kernel_suggest(kernel("who"), NULL, &grid, &block));
    CHECK(block.x == 16 && block.y == 1 && block.z == 1);
}

static void many_blocks(void)
{
    clear();
    WORKS(run("total", lw_dim_1(0x7fffffff), 1, 0));
    CHECK(out_at(0) == 0x7fffffff);
}

static void failures_told(void)
{
    for (int i = 0; i < 5; i++) {
        FAILS(run("fails", lw_dim_3(10, 10, 100), 8, 777), LW_E_LAUNCH,
              "kernel 'fails': k.c:7: assertion 'i < n' failed, block (7,7,7) thread (3,0,0)");
        WORKS(run("fails", lw_dim_1(100), 8, 777));
    }
    FAILS(run("diverges", lw_dim_1(1), 8, 0), LW_E_LAUNCH,
          "kernel 'diverges': barrier divergence in block (0,0,0): k.c:9 barrier reached by 4 "
          "threads (first thread (0,0,0)); missing at k.c:9: (3,0,0) to (4,0,0), (6,0,0); 1 thread "
          "has returned");
    FAILS(run("stops", lw_dim_1(9), 8, 0), LW_E_INTERNAL,
          "kernel 'stops': its code stopped the launch without a reason");
}

static void hear(const lw_output *line, void *user)
{
    size_t *next = user;
    char text[32];

    snprintf(text, sizeof text, "%zu 0.5", *next);
    CHECK(line->text && !strcmp(line->text, text));
    CHECK(line->block.x == *next % 50 && line->block.y == *next / 50 && line->thread.x == 1);
    ++*next;
}

static void prints(void)
{
    size_t next = 0;

    lw_stream_on_output(stream, hear, &next);
    WORKS(run("prints", lw_dim_2(50, 4), 8, 0));
    CHECK(next == 200);
    lw_stream_on_output(stream, NULL, NULL);
}

static void block_memory(void)
{
    const lw_arg args[] = {lw_arg_buffer(out), lw_arg_int(1024 + 5000)};
    lw_launch_options options = {.shared_bytes = 5000};

    clear();
    WORKS(run("memory", lw_dim_1(100), 32, 1000));
    WORKS(
        lw_stream_launch(stream, kernel("memory"), lw_dim_1(100), lw_dim_1(32), &options, args, 2));
    WORKS(lw_stream_wait(stream));
    CHECK(out_at(0) == 0);
}

static void frames(void)
{
    clear();
    WORKS(run("frame", lw_dim_1(100), 32, 1000));
    WORKS(run("frame", lw_dim_1(100), 32, 10000000));
    WORKS(run("frame", lw_dim_1(100), 32, 1));
    CHECK(out_at(0) == 0);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* whose allocators abort */
    FAILS(run("frame", lw_dim_1(100), 32, INT64_MAX - 1000), LW_E_MEMORY,
          "kernel 'frame': no memory for the arrays of a block's threads: 9223372036854774807 "
          "bytes");
#endif
    WORKS(run("frame", lw_dim_1(1), 32, 1000));
}

static uint64_t clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A launch stops soon after it is cancelled: all its blocks would take minutes. */
static void cancels(void)
{
#ifndef __SANITIZE_THREAD__ /* it knows no locks of a thread that has left a handler for good */
    clear();
    WORKS(LW_LAUNCH(stream, kernel("until"), 1000000, 32, out, 0));
    CHECK(lw_stream_wait_for(stream, 20000000) == LW_E_TIMEOUT);
    lw_stream_cancel(stream);
    CHECK(lw_stream_wait(stream) == LW_E_LAUNCH);
    lw_stream_destroy(stream);
    WORKS(lw_stream_create(device, &stream));
#endif
}

/* A helper of a long launch leaves it for a stream that became ready. */
static void side_by_side(void)
{
    clear();
    lw_stream *other;
    WORKS(lw_stream_create(device, &other));
    WORKS(LW_LAUNCH(stream, kernel("until"), 200000, 32, out, 0));
    WORKS(LW_LAUNCH(other, kernel("until"), 1, 32, out, 1));
    WORKS(lw_stream_wait(other));
    WORKS(lw_stream_wait(stream));
    lw_stream_destroy(other);
}

/* Helpers come and go, some when the launch is all but over; in the end all is as it was. */
static void many_shares(void)
{
    clear();
    for (int i = 0; i < 2000; i++)
        WORKS(LW_LAUNCH(stream, kernel("total"), 64, 32, out, i));
    WORKS(lw_stream_wait(stream));
    CHECK(out_at(0) == 64 * 2000);
}

/* ---- specialisation ---- */

static size_t log_bytes(const char *path)
{
    struct stat s;

    return stat(path, &s) ? 0 : (size_t)s.st_size;
}

static void *launch_some(void *number)
{
    lw_stream *own;

    WORKS(lw_stream_create(device, &own));
    for (uint32_t block = 1; block <= 4; block++)
        WORKS(LW_LAUNCH(own, kernel("empty"), 3, block, out, (int)(size_t)number));
    WORKS(lw_stream_wait(own));
    lw_stream_destroy(own);
    return NULL;
}

static void builds_once(void)
{
    char path[] = "/tmp/lanewise-unit-XXXXXX";
    pthread_t threads[8];
    lw_program *before = program;

    close(mkstemp(path));
    setenv("LW_FAKE_LOG", path, 1);
    program = build_rows(device, rows);
    CHECK(log_bytes(path) == 1);
    for (size_t i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, launch_some, (void *)i);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    CHECK(log_bytes(path) == 1 + 4);
    WORKS(run("who", lw_dim_1(1), 16, 0)); /* BLOCK fixes it: built with the program */
    CHECK(log_bytes(path) == 1 + 4);
    lw_program_destroy(program);
    program = before;
    unsetenv("LW_FAKE_LOG");
    unlink(path);
}

/* What takes too long as one gang is built in gangs of a warp, unless their size was asked for. */
static void too_slow(void)
{
    char path[] = "/tmp/lanewise-unit-XXXXXX";
    lw_program *before = program, *p;
    lw_build_options options = {.source = rows};

    close(mkstemp(path));
    program = build_rows(device, rows);
    setenv("LW_FAKE_LOG", path, 1);
    setenv("LW_FAKE_SLOW", "1", 1);
    WORKS(run("empty", lw_dim_1(1), 9, 0));
    CHECK(log_bytes(path) == 2);
    WORKS(run("empty", lw_dim_1(1), 9, 0));
    CHECK(log_bytes(path) == 2);
    unsetenv("LW_FAKE_SLOW");
    setenv("LANEWISE_GANG", "64", 1);
    lw_device *in_gangs = open_device("cpu");
    unsetenv("LANEWISE_GANG");
    options.source = "!slow\n";
    FAILS(lw_program_build(in_gangs, "k.c", &options, &p), LW_E_COMPILE,
          "k.c: compiling it takes more than its limit, 60 s of processor time");
    CHECK(log_bytes(path) == 3);
    FAILS(lw_program_build(device, "k.c", &options, &p), LW_E_COMPILE,
          "k.c: compiling it takes more than its limit, 60 s of processor time");
    CHECK(log_bytes(path) == 5);
    lw_device_close(in_gangs);
    lw_program_destroy(program);
    program = before;
    unsetenv("LW_FAKE_LOG");
    unlink(path);
}

/* From the cache: the compiler is not asked for what another program had built. */
static void builds_from_cache(void)
{
    char folder[] = "/tmp/lanewise-cpu-XXXXXX", log[64], command[64];
    lw_program *before = program;

    CHECK(mkdtemp(folder) != NULL);
    snprintf(log, sizeof log, "%s/log", folder);
    setenv("LW_FAKE_LOG", log, 1);
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    unsetenv("LANEWISE_CACHE");
    for (int i = 0; i < 3; i++) {
        program = build_rows(device, rows);
        clear();
        WORKS(run("total", lw_dim_1(10), 7, 0));
        WORKS(run("total", lw_dim_1(10), 8, 0));
        CHECK(out_at(0) == 20);
        CHECK(log_bytes(log) == 3);
        lw_program_destroy(program);
    }
    program = before;
    setenv("LANEWISE_CACHE", "0", 1);
    unsetenv("LW_FAKE_LOG");
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
}

static void refusals(void)
{
    setenv("LW_FAKE_REFUSE", "total 5,1,1", 1);
    FAILS(LAUNCH(stream, kernel("total"), 1, 5, out, 0), LW_E_COMPILE,
          "k.c:3:5: not for blocks of 5,1,1");
    unsetenv("LW_FAKE_REFUSE");
    FAILS(LAUNCH(stream, kernel("total"), 1, 5, out, 0), LW_E_COMPILE,
          "k.c:3:5: not for blocks of 5,1,1");
    clear();
    WORKS(run("total", lw_dim_1(1), 6, 0));
    setenv("LANEWISE_COMPILE", "/no/compiler", 1);
    CHECK(LAUNCH(stream, kernel("total"), 1, 9, out, 0) == LW_E_INTERNAL);
    setenv("LANEWISE_COMPILE", getenv("LW_REAL_FAKE"), 1);
    WORKS(run("total", lw_dim_1(1), 9, 0)); /* not kept: it was not the kernel's fault */
    CHECK(out_at(0) == 2);
}

/* ---- levels ---- */

static void note(const lw_diagnostic *d, void *user)
{
    if (!strncmp(d->text, "word cpu:", 9))
        snprintf(user, 64, "%s", d->text + 5);
}

static void is_level(const char *word, const char *title, int vector_bits)
{
    char target[64] = "", wanted[64];
    lw_build_options options = {.source = "!tell\n", .on_diagnostic = note, .user = target};
    lw_device *d = open_device("cpu");
    lw_device_info info;

    WORKS(lw_device_get_info(d, &info));
    CHECK(!strncmp(info.description, title, strlen(title)) && strstr(info.description, " thread"));
    CHECK(lw_device_vector_bits(d) == vector_bits);
    lw_program *p;
    WORKS(lw_program_build(d, NULL, &options, &p));
    snprintf(wanted, sizeof wanted, "cpu:%s", word);
    CHECK(!strcmp(target, wanted));
    lw_program_destroy(p);
    lw_device_close(d);
}

static void levels(void)
{
    bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");

    setenv("LANEWISE_CPU", "baseline", 1);
    is_level("baseline", "baseline x86-64, ", 128);
    setenv("LANEWISE_CPU", "avx2", 1);
    lw_device *d;
    if (has_avx2)
        is_level("avx2", "AVX2, ", 256);
    else
        FAILS(
            lw_device_open("cpu", &d), LW_E_DEVICE,
            "LANEWISE_CPU is 'avx2', which this processor or its system lacks; the most it has is "
            "'baseline'");
    setenv("LANEWISE_CPU", "sse9", 1);
    FAILS(lw_device_open("cpu", &d), LW_E_ARG,
          "LANEWISE_CPU is 'sse9'; need avx512, avx2 or baseline");
    unsetenv("LANEWISE_CPU");
    FAILS(lw_device_open("cpu:1", &d), LW_E_DEVICE,
          "there is no device 'cpu:1'; need cpu, without a number");
}

/* ---- small launches ---- */

static lw_status wait_plainly(void)
{
    return lw_stream_wait(stream);
}

static lw_status wait_with_a_deadline(void)
{
    return lw_stream_wait_for(stream, 100000000000); /* a hundred seconds */
}

static lw_status wait_for_an_event(void)
{
    lw_event *end;

    WORKS(lw_event_create(device, &end));
    WORKS(lw_event_record(end, stream));
    const lw_status status = lw_event_wait(end);
    lw_event_destroy(end);
    return status;
}

/* True if one of many launches that are waited for so runs in this thread. */
static bool comes_here(int work, lw_status (*wait)(void))
{
    uint64_t own = (uint64_t)gettid();
    bool here = false;

    for (int i = 0; i < 1000 && !here; i++) {
        WORKS(LW_LAUNCH(stream, kernel("who"), 1, 16, out, work));
        WORKS(wait());
        here = out_at(0) == own;
    }
    return here;
}

/* The first runs elsewhere; when it is known to be small, it runs here. */
static void small_launches(void)
{
    clear();
    WORKS(run("who", lw_dim_1(1), 16, 0));
    CHECK(comes_here(0, wait_plainly));
}

/* What is waited for at once comes to run in the thread that waits, and no worker is called for it;
 * where that thread does anything else, one is. */
static void waited_for(void)
{
    uint64_t own = (uint64_t)gettid();

    CHECK(comes_here(100, wait_plainly));
    WORKS(LW_LAUNCH(stream, kernel("who"), 1, 16, out, 100));
    CHECK(out_at(0) != own);
    CHECK(comes_here(100, wait_with_a_deadline));
    WORKS(LW_LAUNCH(stream, kernel("who"), 1, 16, out, 100));
    const lw_status status = lw_stream_wait_for(stream, 1); /* nothing is over in a nanosecond */
    CHECK(status == LW_E_TIMEOUT || !status);
    CHECK(out_at(0) != own);
    CHECK(comes_here(100, wait_for_an_event));
}

static void float_environment(void)
{
    unsigned before = _mm_getcsr();

    for (int i = 0; i < 20; i++) {
        _mm_setcsr(0x7f80);
        WORKS(run("floats", lw_dim_1(1), 32, 0));
        CHECK((_mm_getcsr() & 0xffc0) == 0x7f80);
        _mm_setcsr(before);
        CHECK(out_at(0) == 0x1f80);
    }
}

static void latency(void)
{
    enum { COUNT = 20000 };
    lw_kernel *k = kernel("empty");
    uint64_t began = clock_ns();

    WORKS(run("empty", lw_dim_1(1), 32, 0));
    for (int i = 0; i < COUNT; i++)
        WORKS(LW_LAUNCH(stream, k, 1, 32, out, 0));
    WORKS(lw_stream_wait(stream));
    printf("empty launch: %.0f ns", (double)(clock_ns() - began) / COUNT);
    began = clock_ns();
    for (int i = 0; i < COUNT; i++) {
        WORKS(LW_LAUNCH(stream, k, 1, 32, out, 0));
        WORKS(lw_stream_wait(stream));
    }
    printf("; with its wait %.0f ns\n", (double)(clock_ns() - began) / COUNT);
}

/* ---- processes ---- */

static void after_fork(void)
{
#ifndef __SANITIZE_THREAD__ /* it takes no threads after a fork */
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        stream = NULL; /* the parent's */
        WORKS(lw_stream_create(device, &stream));
        WORKS(run("empty", lw_dim_1(100), 77, 0)); /* built here */
        chunks();
        tear_down();
        exit(failures != 0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
#endif
}

static void with_threads(char *self, const char *count)
{
    char *words[] = {self, "threads", NULL};

    setenv("LANEWISE_NUM_THREADS", count, 1);
    pid_t child;
    CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) == 0);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    unsetenv("LANEWISE_NUM_THREADS");
}

static void threads(void)
{
    chunks();
    many_shares();
    suggests();
    many_blocks();
    failures_told();
    prints();
    block_memory();
    frames();
    cancels();
    if (lw__pool_size() > 1)
        side_by_side();
}

static void everything(char *self)
{
    builds_once();
    too_slow();
    builds_from_cache();
    refusals();
    levels();
    small_launches();
    waited_for();
    float_environment();
    latency();
    after_fork();
    with_threads(self, "1");
    with_threads(self, "2");
    with_threads(self, "3");
    with_threads(self, "7");
    with_threads(self, "64");
}

int main(int count, char **words)
{
    setenv("LW_FAKE_PAYLOAD", getenv("LW_UNIT_CPU_PAYLOAD"), 1);
    setenv("LW_REAL_FAKE", getenv("LANEWISE_COMPILE"), 1);
    set_up();
    if (count > 1)
        threads();
    else
        everything(words[0]);
    tear_down();
    return failures != 0;
}
