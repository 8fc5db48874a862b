/* The device `cuda`: launches, events and awaits that are taken ahead of their end. */
#include "run_cuda.h"
#include <pthread.h>
#include <sys/wait.h>

#define ROWS                                                                                       \
    CUDA_ROW("hold", "0") CUDA_ROW("mark", "0") CUDA_ROW("fails", "0") CUDA_ROW("waits", "0")

static lw_device *device;
static lw_program *program;
static lw_buffer *out;

static void set_up(void)
{
    device = open_device("cuda");
    program = build_rows(device, ROWS);
    WORKS(lw_buffer_create(device, LW_I32, 64, &out));
}

static void tear_down(void)
{
    lw_buffer_destroy(out);
    lw_program_destroy(program);
    lw_device_close(device);
    check_empty();
}

static lw_stream *new_stream(void)
{
    lw_stream *s;

    WORKS(lw_stream_create(device, &s));
    return s;
}

/* ---- kernels ---- */

static atomic_bool gate_is_open;
static int marks[8192];
static atomic_int mark_count;

static int hold(const struct fake_launch *l, int *to, int n)
{
    (void)l, (void)to, (void)n;
    while (!atomic_load(&gate_is_open))
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return 0;
}

static int mark(const struct fake_launch *l, int *to, int n)
{
    (void)l;
    to[0] = n;
    marks[atomic_fetch_add(&mark_count, 1) % 8192] = n;
    return 0;
}

static int fail(const struct fake_launch *l, int *to, int n)
{
    (void)to, (void)n;
    l->record->failure_count = 1;
    l->record->failures[0] = (struct lw_cuda_failure){0, 0, 0, l->text_address};
    return 0;
}

static int wait_for_stop(const struct fake_launch *l, int *to, int n)
{
    const uint32_t *stop = (const uint32_t *)(uintptr_t)l->record->stop;

    (void)to, (void)n;
    while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE))
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return 0;
}

static const struct kernel holds = {"hold", 0, hold}, notes = {"mark", 0, mark},
                           fails = {"fails", LW_CUDA_ASSERTS, fail},
                           waits = {"waits", LW_CUDA_STOPS, wait_for_stop};

static void go(lw_stream *s, const struct kernel *k, int n)
{
    WORKS(launch(s, program, k, lw_dim_1(1), 32, out, n));
}

static void close_gate(void)
{
    atomic_store(&gate_is_open, false);
    atomic_store(&mark_count, 0);
}

static void *open_gate_soon(void *unused)
{
    (void)unused;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    atomic_store(&gate_is_open, true);
    return NULL;
}

/* ---- streams ---- */

/* No launch waits for one before it, and no other stream does. */
static void ahead(void)
{
    lw_stream *s = new_stream(), *other = new_stream();

    close_gate();
    go(s, &holds, 0);
    for (int i = 0; i < 200; i++)
        go(s, &notes, i);
    FAILS(lw_stream_wait_for(s, 3000000), LW_E_TIMEOUT,
          "the work of the stream is not done in time; it goes on");
    CHECK(mark_count == 0);
    go(other, &notes, -1);
    WORKS(lw_stream_wait(other));
    CHECK(mark_count == 1);
    atomic_store(&gate_is_open, true);
    WORKS(lw_stream_wait_for(s, UINT64_MAX));
    CHECK(mark_count == 201);
    for (int i = 0; i < 200; i++)
        CHECK(marks[i + 1] == i);
    lw_stream_destroy(other);
    lw_stream_destroy(s);
}

/* The list of those under way is bounded, and used again. */
static void many(void)
{
    lw_stream *s = new_stream();

    close_gate();
    go(s, &holds, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, open_gate_soon, NULL);
    for (int i = 0; i < 5000; i++)
        go(s, &notes, i);
    pthread_join(thread, NULL);
    lw_stream_destroy(s);
    CHECK(mark_count == 5000);
    for (int i = 0; i < 5000; i++)
        CHECK(marks[i] == i);
}

static void *launch_some(void *stream)
{
    for (int i = 0; i < 300; i++) {
        go(stream, &notes, i);
        if (i % 50 == 0)
            WORKS(lw_stream_wait(stream));
    }
    return NULL;
}

static void threads(void)
{
    lw_stream *s = new_stream();
    pthread_t thread[4];

    close_gate();
    go(s, &notes, 0);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, launch_some, s);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    WORKS(lw_stream_wait(s));
    CHECK(mark_count == 1201);
    lw_stream_destroy(s);
}

static void cancelling(void)
{
    lw_stream *s = new_stream();

    go(s, &waits, 0);
    go(s, &waits, 0);
    lw_stream_cancel(s);
    FAILS(lw_stream_wait(s), LW_E_LAUNCH, "waits: cancelled while it ran");
    FAILS(launch(s, program, &waits, lw_dim_1(1), 32, out, 0), LW_E_LAUNCH,
          "waits: cancelled while it ran");
    lw_stream_destroy(s);
}

/* ---- events ---- */

/* An event is waited for, not what comes after it. */
static void events(void)
{
    lw_stream *s = new_stream(), *t = new_stream();
    uint64_t ns = 0;

    close_gate();
    lw_event *begin;
    WORKS(lw_event_create(device, &begin));
    lw_event *end;
    WORKS(lw_event_create(device, &end));
    lw_event *after;
    WORKS(lw_event_create(device, &after));
    WORKS(lw_event_record(begin, s));
    go(s, &notes, 1);
    WORKS(lw_event_record(end, s));
    go(s, &holds, 0);
    WORKS(lw_event_record(after, s));
    WORKS(lw_stream_wait_event(t, after));
    go(t, &notes, 2);
    WORKS(lw_event_wait(end));
    CHECK(mark_count == 1);
    WORKS(lw_event_elapsed(begin, end, &ns));
    CHECK(ns > 0 && ns < 10000000000);
    FAILS(lw_event_elapsed(begin, after, &ns), LW_E_ARG,
          "the last event is not done; wait for it first");
    CHECK(lw_event_elapsed(end, begin, &ns) == LW_E_ARG);
    CHECK(lw_stream_wait_for(t, 3000000) == LW_E_TIMEOUT && mark_count == 1);
    atomic_store(&gate_is_open, true);
    WORKS(lw_stream_wait(t));
    CHECK(mark_count == 2);
    WORKS(lw_event_elapsed(end, after, &ns));
    CHECK(ns >= 3000000);
    lw_event_destroy(begin);
    lw_event_destroy(end);
    lw_stream_destroy(s);
    WORKS(lw_event_wait(after));
    lw_event_destroy(after);
    lw_stream_destroy(t);
}

#define FAILED "kernel 'fails': k.c:7: assertion 'no' failed, block (0,0,0) thread (0,0,0)"

/* Who waits for a stream that fails fails too; so do its events after the failure, not before. */
static void failing(void)
{
    lw_stream *s = new_stream(), *t = new_stream();

    strcpy(fake->text, "no");
    lw_event *before;
    WORKS(lw_event_create(device, &before));
    lw_event *after;
    WORKS(lw_event_create(device, &after));
    go(s, &notes, 1);
    WORKS(lw_event_record(before, s));
    go(s, &fails, 0);
    WORKS(lw_event_record(after, s));
    WORKS(lw_stream_wait_event(t, after));
    go(t, &notes, 2);
    FAILS(lw_stream_wait(t), LW_E_LAUNCH, "an event waited for failed: " FAILED);
    FAILS(lw_event_wait(after), LW_E_LAUNCH, FAILED);
    WORKS(lw_event_wait(before));
    FAILS(lw_stream_wait(s), LW_E_LAUNCH, FAILED);
    FAILS(launch(s, program, &notes, lw_dim_1(1), 32, out, 0), LW_E_LAUNCH, FAILED);
    lw_event_destroy(before);
    lw_event_destroy(after);
    lw_stream_destroy(s);
    lw_stream_destroy(t);
}

/* Two streams that wait for each other in turn, drained by two threads. */
static void *wait_for(void *stream)
{
    WORKS(lw_stream_wait(stream));
    return NULL;
}

static void crossing(void)
{
    lw_stream *s = new_stream(), *t = new_stream();
    lw_event *e;

    WORKS(lw_event_create(device, &e));
    pthread_t thread;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 20; i++) {
            go(i % 2 ? s : t, &notes, i);
            WORKS(lw_event_record(e, i % 2 ? s : t));
            WORKS(lw_stream_wait_event(i % 2 ? t : s, e));
        }
        pthread_create(&thread, NULL, wait_for, s);
        WORKS(lw_stream_wait(t));
        pthread_join(thread, NULL);
    }
    lw_event_destroy(e);
    lw_stream_destroy(t);
    lw_stream_destroy(s);
}

/* ---- buffers ---- */

static void buffers(void)
{
    lw_stream *s = new_stream();
    int x = -1;

    close_gate();
    lw_buffer *unused;
    WORKS(lw_buffer_create(device, LW_I32, 4, &unused));
    go(s, &holds, 0);
    go(s, &notes, 7);
    WORKS(lw_buffer_read(unused, 0, 1, &x));
    CHECK(x == 0 && mark_count == 0);
    pthread_t thread;
    pthread_create(&thread, NULL, open_gate_soon, NULL);
    WORKS(lw_buffer_read(out, 0, 1, &x));
    CHECK(x == 7);
    pthread_join(thread, NULL);
    go(s, &notes, 8);
    void *memory;
    WORKS(lw_buffer_map(out, &memory));
    CHECK(*(int *)memory == 8);
    CHECK(launch(s, program, &notes, lw_dim_1(1), 32, out, 9) == LW_E_ARG);
    WORKS(lw_buffer_unmap(out));
    lw_buffer_destroy(unused);
    lw_buffer *b;
    for (int i = 0; i < 40; i++) { /* ten of them are all the memory */
        WORKS(lw_buffer_create(device, LW_U8, fake->memory / 10, &b));
        WORKS(launch(s, program, &notes, lw_dim_1(1), 32, out, i));
        lw_buffer_destroy(b);
    }
    for (int i = 0; i < 40; i++) {
        WORKS(lw_buffer_create(device, LW_I32, fake->memory / 40, &b));
        WORKS(launch(s, program, &notes, lw_dim_1(1), 32, b, i));
        lw_buffer_destroy(b);
    }
    lw_stream_destroy(s);
}

/* ---- fork ---- */

#ifndef __SANITIZE_THREAD__ /* it takes no threads after a fork */
#define FORKED                                                                                     \
    "this process was forked after the NVIDIA driver was loaded, and cannot use it; open the "     \
    "device in the child only, or fork first"

static int in_child(lw_stream *s, lw_event *e)
{
    lw_device *d;

    FAILS(lw_device_open("cuda", &d), LW_E_DEVICE, "device 'cuda' cannot be used: " FORKED);
    int x;
    FAILS(lw_buffer_read(out, 0, 1, &x), LW_E_DEVICE, FORKED);
    lw_buffer *b;
    FAILS(lw_buffer_create(device, LW_I32, 1, &b), LW_E_DEVICE, FORKED);
    CHECK(lw_stream_wait(s) == LW_E_LAUNCH);
    CHECK(lw_event_wait(e) == LW_E_LAUNCH);
    lw_stream_destroy(s);
    lw_event_destroy(e);
    lw_buffer_destroy(out);
    lw_program_destroy(program);
    lw_device_close(device);
    return failures != 0;
}

static void forking(void)
{
    lw_stream *s = new_stream();

    close_gate();
    lw_event *e;
    WORKS(lw_event_create(device, &e));
    go(s, &holds, 0);
    go(s, &fails, 0);
    WORKS(lw_event_record(e, s));
    fflush(stdout);
    pid_t child = fork();
    int status;
    if (!child) { /* what the double's threads had is lost there: no place to look for leaks */
        status = in_child(s, e);
        fflush(stdout);
        _exit(status);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    atomic_store(&gate_is_open, true);
    CHECK(lw_stream_wait(s) == LW_E_LAUNCH);
    lw_stream_destroy(s);
    lw_event_destroy(e);
}
#else
static void forking(void) {}
#endif

/* ---- what the GPU does not end ---- */

/* Nobody waits for it; its stream stays, and with it the device. */
static void giving_up(void)
{
    lw_stream *s = new_stream(), *other = new_stream();
    const uint64_t began = lw__clock();

    close_gate();
    go(s, &holds, 0);
    go(s, &notes, 1);
    lw_stream_cancel(s);
    FAILS(lw_stream_wait(s), LW_E_LAUNCH, "hold: cancelled while it ran");
    FAILS(lw_buffer_wait_for(out, 1000000), LW_E_TIMEOUT,
          "launches that use the buffer are not done in time; they go on");
    lw_stream_destroy(s);
    s = new_stream();
    go(s, &holds, 0);
    CHECK(lw_stream_wait_for(s, 1000000) == LW_E_TIMEOUT);
    lw_stream_destroy(s);
    CHECK(lw__clock() - began < 10000000000u);
    go(other, &notes, 2);
    WORKS(lw_stream_wait(other));
    CHECK(mark_count == 1 && marks[0] == 2);
    atomic_store(&gate_is_open, true);
    int x;
    WORKS(lw_buffer_read(out, 0, 1, &x));
    lw_stream_destroy(other);
    lw_buffer_destroy(out);
    lw_program_destroy(program);
    lw_device_close(device);
    CHECK(fake->contexts == 1 && fake->streams == 3); /* one is of the device itself */
}

int main(void)
{
    if (!fake_set_up())
        return 1;
    set_up();
    ahead();
    many();
    threads();
    cancelling();
    events();
    failing();
    crossing();
    buffers();
    forking();
    tear_down();
    set_up();
    giving_up();
    fake_tear_down();
    return failures != 0;
}
