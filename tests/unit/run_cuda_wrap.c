/* The device `cuda`: streams of someone else, also while they are captured; what is known of a
 * stream's failures without waiting. */
#include "run_cuda.h"

#define ROWS                                                                                       \
    CUDA_ROW("notes", "0")                                                                         \
    CUDA_ROW("hold", "0")                                                                          \
    CUDA_ROW("fails", "0")                                                                         \
    CUDA_ROW("says", "0")                                                                          \
    CUDA_ROW("tickets", "0") CUDA_ROW("prints", "0") CUDA_ROW("breaks", "0") CUDA_ROW("new", "0")

enum { COUNT = 64 };

static lw_device *device;
static lw_program *program;
static lw_buffer *out;
static struct cu_stream *native; /* of someone else */

/* ---- someone else ---- */

static void *symbol(const char *name)
{
    void *library = dlopen(getenv("LANEWISE_CUDA_DRIVER"), RTLD_NOW);
    void *address = dlsym(library, name);

    CHECK(address != NULL);
    return address;
}

static void call_with_context(int (*function)(struct cu_stream *), struct cu_stream *s)
{
    int (*push)(void *), (*pop)(void **);
    void *unused, *address;

    address = symbol("cuCtxPushCurrent_v2"), memcpy(&push, &address, sizeof push);
    address = symbol("cuCtxPopCurrent_v2"), memcpy(&pop, &address, sizeof pop);
    CHECK(push(NULL) == 0);
    if (function)
        CHECK(function(s) == 0);
    else {
        int (*create)(struct cu_stream **, unsigned);

        address = symbol("cuStreamCreate"), memcpy(&create, &address, sizeof create);
        CHECK(create(&native, 0) == 0);
    }
    pop(&unused);
}

static void call_native(const char *name)
{
    int (*function)(struct cu_stream *);
    void *address = symbol(name);

    memcpy(&function, &address, sizeof function);
    call_with_context(function, native);
}

static void set_up(void)
{
    device = open_device("cuda");
    program = build_rows(device, ROWS);
    WORKS(lw_buffer_create(device, LW_I32, COUNT, &out));
    call_with_context(NULL, NULL);
}

static void tear_down(void)
{
    call_native("cuStreamDestroy_v2");
    lw_buffer_destroy(out);
    lw_program_destroy(program);
    lw_device_close(device);
    check_empty();
}

static lw_stream *wrap(void)
{
    lw_stream *s = NULL;

    WORKS(lw_stream_wrap(device, native, &s));
    return s;
}

/* ---- kernels ---- */

static atomic_bool gate_is_open;
static atomic_int noted;

static int note(const struct fake_launch *l, int *to, int n)
{
    (void)l;
    to[0] = n;
    atomic_fetch_add(&noted, 1);
    return 0;
}

static int hold(const struct fake_launch *l, int *to, int n)
{
    while (!atomic_load(&gate_is_open))
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return note(l, to, n);
}

/* The n-th thread of block 2, if n is not 0. */
static int fail(const struct fake_launch *l, int *to, int n)
{
    (void)to;
    if (n && l->record->failure_count < LW_CUDA_FAILURES)
        l->record->failures[l->record->failure_count++] =
            (struct lw_cuda_failure){2, (uint32_t)n, 0, l->text_address};
    return 0;
}

/* An assert_that, of all threads. */
static int fail_saying(const struct fake_launch *l, int *to, int n)
{
    struct lw_cuda_launch *r = l->record;

    (void)to;
    for (; r->failure_count < (uint64_t)n; r->failure_count++) {
        const uint64_t k = r->failure_count;

        r->said[k][0] = (uint64_t)n - k;
        r->said[k][1] = l->text_address + 20;
        r->failures[k] =
            (struct lw_cuda_failure){2, (uint32_t)((uint64_t)n - k), LW_CUDA_SAYS, l->text_address};
    }
    return 0;
}

static int take_ticket(const struct fake_launch *l, int *to, int n)
{
    (void)n;
    to[0] = (int)l->record->ticket++;
    return 0;
}

static int print_late(const struct fake_launch *l, int *to, int n)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return note(l, to, n);
}

static int lose(const struct fake_launch *l, int *to, int n)
{
    (void)l, (void)to, (void)n;
    return 700;
}

static const struct kernel notes = {"notes", 0, note}, holds = {"hold", 0, hold},
                           fails = {"fails", LW_CUDA_ASSERTS, fail},
                           fails_saying = {"says", LW_CUDA_ASSERTS, fail_saying},
                           tickets = {"tickets", LW_CUDA_TICKETS, take_ticket},
                           prints = {"prints", LW_CUDA_PRINTS, print_late},
                           breaks = {"breaks", 0, lose}, late = {"new", LW_CUDA_TICKETS, NULL};

static lw_status go(lw_stream *s, const struct kernel *k, int n)
{
    return launch(s, program, k, lw_dim_1(4), 32, out, n);
}

static int first(void)
{
    int x = -1;

    WORKS(lw_buffer_read(out, 0, 1, &x));
    return x;
}

/* ---- the tests ---- */

static void refusals(void)
{
    lw_stream *s = (lw_stream *)&s;
    lw_device *cpu = open_device("cpu");

    FAILS(lw_stream_wrap(NULL, NULL, &s), LW_E_ARG, "the device is NULL");
    CHECK(!s);
    FAILS(lw_stream_wrap(device, NULL, NULL), LW_E_ARG, "the place for the stream is NULL");
    FAILS(lw_stream_wrap(cpu, NULL, &s), LW_E_UNSUPPORTED,
          "device 'cpu' has no streams that could be wrapped; use lw_stream_create");
    FAILS(lw_stream_check(NULL), LW_E_ARG, "the stream is NULL");
    lw_device_close(cpu);
}

/* Nothing is waited for but by a wait, or by who reads what a launch may have written. */
static void launches(void)
{
    lw_stream *s = wrap();

    atomic_store(&gate_is_open, false);
    atomic_store(&noted, 0);
    WORKS(go(s, &holds, 1));
    for (int i = 0; i < 3000; i++)
        WORKS(go(s, &notes, i));
    WORKS(lw_stream_check(s));
    FAILS(lw_stream_wait_for(s, 1000000), LW_E_TIMEOUT,
          "the work of the stream is not done in time; it goes on");
    CHECK(noted == 0);
    atomic_store(&gate_is_open, true);
    CHECK(first() == 2999 && noted == 3001);
    WORKS(go(s, &tickets, 0));
    WORKS(go(s, &tickets, 0));
    WORKS(lw_stream_wait(s));
    CHECK(first() == 0);
    WORKS(go(s, &prints, 0));
    CHECK(noted == 3002); /* so that the owner's next work comes after it */
    WORKS(lw_stream_wait_for(s, UINT64_MAX));
    WORKS(lw_stream_check(s));
    lw_stream_destroy(s);
    CHECK(fake->streams == 2); /* of the copies, and native */
}

/* A buffer that is destroyed is not given back before its last launch is over; nor is a program. */
static void lives(void)
{
    lw_stream *s = wrap();
    lw_program *p = build_rows(device, ROWS);
    int x[1];

    lw_buffer *b;
    WORKS(lw_buffer_create(device, LW_I32, COUNT, &b));
    WORKS(launch(s, p, &holds, lw_dim_1(1), 32, b, 5));
    lw_program_destroy(p);
    lw_buffer_destroy(b);
    WORKS(lw_buffer_create(device, LW_I32, 1, &b));
    WORKS(lw_buffer_read(b, 0, 1, x));
    lw_buffer_destroy(b);
    lw_stream_destroy(s);
}

static lw_status check_soon(lw_stream *s)
{
    lw_status status = LW_OK;

    for (int i = 0; i < 2000 && !status; i++) {
        status = lw_stream_check(s);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return status;
}

/* A failed assert is told by a check, and by each call from then on. */
static void asserts(void)
{
    lw_stream *s = wrap(), *plain;
    strcpy(fake->text, "x < n");
    WORKS(go(s, &fails, 0));
    WORKS(lw_stream_wait(s));
    WORKS(go(s, &fails, 7));
    for (int i = 0; i < 10; i++)
        (void)go(s, &fails, 0);
    CHECK(check_soon(s) == LW_E_LAUNCH);
    CHECK(strstr(lw_last_error(), "x < n") && strstr(lw_last_error(), "block (2,0,0)"));
    CHECK(strstr(lw_last_error(), "thread (7,0,0)"));
    CHECK(go(s, &notes, 0) == LW_E_LAUNCH && strstr(lw_last_error(), "x < n"));
    CHECK(lw_stream_wait(s) == LW_E_LAUNCH && lw_stream_check(s) == LW_E_LAUNCH);
    lw_stream_destroy(s);
    WORKS(lw_stream_create(device, &plain));
    WORKS(lw_stream_check(plain));
    WORKS(go(plain, &fails, 3));
    CHECK(check_soon(plain) == LW_E_LAUNCH && strstr(lw_last_error(), "x < n"));
    lw_stream_destroy(plain);
}

/* The message of the lowest thread, with what it says. */
static void messages(void)
{
    lw_stream *streams[2] = {wrap()};

    WORKS(lw_stream_create(device, &streams[1]));
    strcpy(fake->text, "x is %d %% in %s");
    strcpy(fake->text + 20, "y");
    for (int i = 0; i < 2; i++) {
        WORKS(go(streams[i], &fails_saying, 5));
        CHECK(check_soon(streams[i]) == LW_E_LAUNCH);
        CHECK(strstr(lw_last_error(), ": x is 1 % in y, block (2,0,0) thread (1,0,0)"));
        lw_stream_destroy(streams[i]);
    }
}

/* Of a launch that is over, with its arguments, by which its buffer is named. */
static void refused_accesses(void)
{
    static const struct kernel refuses = {"fails", LW_CUDA_REFUSES, refuse};

    set_guarded(true);
    lw_program *guarded = build_rows(device, ROWS);
    lw_stream *s;
    for (int i = 0; i < 4; i++) {
        if (i % 2)
            WORKS(lw_stream_create(device, &s));
        else
            s = wrap();
        WORKS(launch(s, guarded, &refuses, lw_dim_1(4), 32, out, i / 2));
        CHECK(check_soon(s) == LW_E_LAUNCH);
        CHECK(strstr(lw_last_error(), "kernel 'fails': k.c:7:3: write of 4 bytes outside: index 65 "
                                      "of 'out', which has 64 elements of 4 bytes, block (2,0,0) "
                                      "thread (3,0,0)"));
        lw_stream_destroy(s);
    }
    lw_program_destroy(guarded);
    set_guarded(false);
}

/* What needs nothing new is recorded; the rest is refused, and the capture stays good. */
static void captured(void)
{
    lw_stream *s = wrap();
    lw_event *e;

    WORKS(lw_event_create(device, &e));
    WORKS(go(s, &notes, 0));
    WORKS(go(s, &tickets, 0));
    WORKS(go(s, &fails, 0));
    WORKS(lw_stream_reserve(s, 1000));
    WORKS(lw_stream_wait(s));
    fake->recorded = fake->violations = 0;
    fake->captured = native;
    lw_buffer *scratch;
    for (int i = 0; i < 500; i++) {
        WORKS(go(s, &notes, i));
        WORKS(go(s, &tickets, i));
        WORKS(go(s, &fails, i));
        WORKS(lw_stream_scratch(s, 1000, &scratch));
        lw_stream_scratch_done(s, scratch);
        WORKS(lw_stream_check(s));
    }
    CHECK(fake->recorded == 500 * (1 + 2 + 3)); /* with the copies of their records */
    FAILS(lw_stream_wait(s), LW_E_ARG,
          "the wrapped stream is being captured: it cannot be waited for");
    FAILS(lw_event_record(e, s), LW_E_ARG,
          "the wrapped stream is being captured: no event can be recorded or waited for");
    FAILS(lw_stream_scratch(s, 1 << 20, &scratch), LW_E_ARG,
          "the wrapped stream is being captured: lw_stream_reserve has scratch memory made before");
    CHECK(fake->violations == 0);
    fake->captured = NULL;
    WORKS(go(s, &notes, 77));
    CHECK(first() == 77);
    lw_event_destroy(e);
    lw_stream_destroy(s);
}

/* A first launch, or one that prints, fails the stream, since nothing before it may be lost. */
static void first_while_captured(const struct kernel *k, const char *text)
{
    lw_stream *s = wrap();

    /* its code is loaded before */
    fake->violations = 0;
    fake->user = (void *)(uintptr_t)k;
    fake->uses = k->uses;
    fake->captured = native;
    (void)go(s, k, 0);
    CHECK(check_soon(s) == LW_E_ARG && strstr(lw_last_error(), text));
    CHECK(fake->violations == 0);
    fake->captured = NULL;
    lw_stream_destroy(s);
}

/* An event in a wrapped stream is waited for as any other. */
static void events(void)
{
    lw_stream *s = wrap(), *other;
    lw_event *e;

    WORKS(lw_event_create(device, &e));
    WORKS(lw_stream_create(device, &other));
    atomic_store(&gate_is_open, false);
    atomic_store(&noted, 0);
    WORKS(go(s, &holds, 1));
    WORKS(lw_event_record(e, s));
    WORKS(lw_stream_wait_event(other, e));
    WORKS(go(other, &notes, 2));
    CHECK(noted == 0);
    atomic_store(&gate_is_open, true);
    WORKS(lw_event_wait(e));
    WORKS(lw_stream_wait(other));
    CHECK(first() == 2 && noted == 2);
    WORKS(lw_event_record(e, other));
    WORKS(lw_stream_wait_event(s, e));
    WORKS(go(s, &notes, 3));
    CHECK(first() == 3);
    lw_stream_destroy(s);
    lw_stream_destroy(other);
    lw_event_destroy(e);
}

/* The kernel that was launched last is named; all that is lost goes with the context. */
static void lost(void)
{
    lw_stream *s = wrap();

    (void)go(s, &breaks, 0);
    CHECK(check_soon(s) != LW_OK);
    CHECK(strstr(lw_last_error(), "'breaks'") && strstr(lw_last_error(), "ILLEGAL_ADDRESS"));
    CHECK(lw_stream_check(s) != LW_OK && go(s, &notes, 0) != LW_OK);
    CHECK(lw_stream_wait(s) != LW_OK);
    lw_stream_destroy(s);
}

int main(void)
{
    if (!fake_set_up())
        return 1;
    set_up();
    refusals();
    launches();
    lives();
    asserts();
    messages();
    refused_accesses();
    captured();
    first_while_captured(&prints, "a kernel that prints cannot be launched");
    first_while_captured(&late, "is launched on it once before");
    events();
    tear_down();
    set_up();
    lost();
    lw_buffer_destroy(out);
    lw_program_destroy(program);
    lw_device_close(device);
    check_empty();
    fake_tear_down();
    return failures != 0;
}
