/* Streams: in order, side by side, failing once and for all; events; buffers that are in use. */
#include "run_gate.h"

static void order(void)
{
    lw_stream *s = new_stream();

    gate.count = 0;
    for (int i = 1; i <= 1000; i++)
        WORKS(LW_LAUNCH(s, step, 1, 1, i));
    WORKS(lw_stream_wait(s));
    CHECK(gate.count == 1000);
    for (int i = 0; i < gate.count; i++)
        CHECK(gate.log[i] == i + 1);
    WORKS(lw_stream_wait(s));
    lw_stream_destroy(s);
    lw_stream_destroy(NULL);
}

/* Two launches stand at the gate at once only if streams run side by side. */
static void side_by_side(void)
{
    lw_stream *a = new_stream(), *b = new_stream();

    gate_set(false);
    WORKS(LW_LAUNCH(a, step, 1, 1, HOLD));
    WORKS(LW_LAUNCH(b, step, 1, 1, HOLD));
    gate_wait_held(2);
    FAILS(lw_stream_wait_for(a, 1000000), LW_E_TIMEOUT,
          "the work of the stream is not done in time; it goes on");
    gate_set(true);
    WORKS(lw_stream_wait_for(a, UINT64_MAX));
    lw_stream_destroy(b);
    lw_stream_destroy(a);
}

static void failure(void)
{
    lw_stream *s = new_stream();

    gate.count = 0;
    gate_set(false);
    lw_event *e;
    WORKS(lw_event_create(device, &e));
    WORKS(LW_LAUNCH(s, step, 1, 1, HOLD));
    WORKS(LW_LAUNCH(s, step, 1, 1, FAIL));
    WORKS(LW_LAUNCH(s, step, 1, 1, 1));
    WORKS(lw_event_record(e, s));
    gate_set(true);
    FAILS(lw_stream_wait(s), LW_E_LAUNCH, "step: told to fail");
    FAILS(lw_stream_wait(s), LW_E_LAUNCH, "step: told to fail");
    FAILS(lw_event_wait(e), LW_E_LAUNCH, "step: told to fail");
    FAILS(LW_LAUNCH(s, step, 1, 1, 2), LW_E_LAUNCH, "step: told to fail");
    FAILS(lw_event_record(e, s), LW_E_LAUNCH, "step: told to fail");
    CHECK(gate.count == 0);
    lw_stream_cancel(s);
    FAILS(lw_stream_wait(s), LW_E_LAUNCH, "step: told to fail");
    lw_event_destroy(e);
    lw_stream_destroy(s);
}

/* LW_LAUNCH as a statement, its status not looked at: the next wait tells of the first refusal,
 * once, and what was queued beside it has run. */
static void refused(void)
{
    lw_stream *s = new_stream();

    gate.count = 0;
    lw_event *e;
    WORKS(lw_event_create(device, &e));
    LW_LAUNCH(s, step, 1, 1, 1);
    LW_LAUNCH(s, step, 0, 1, 2);
    LW_LAUNCH(s, step, 1, 0, 3);
    LW_LAUNCH(s, step, 1, 1, 4);
    WORKS(lw_event_record(e, s));
    WORKS(lw_event_wait(e));
    CHECK(gate.count == 2 && gate.log[0] == 1 && gate.log[1] == 4);
    FAILS(lw_stream_wait(s), LW_E_SHAPE,
          "step: grid 0 x 1 x 1 has no blocks; need at least 1 each");
    WORKS(lw_stream_wait(s));
    FAILS(LW_LAUNCH(s, step, 1, 1, 1.5), LW_E_DTYPE,
          "step: parameter 1 'what' (int) takes an integer, not the real 1.5");
    FAILS(lw_stream_wait_for(s, 1000000000), LW_E_DTYPE,
          "step: parameter 1 'what' (int) takes an integer, not the real 1.5");
    WORKS(LW_LAUNCH(s, step, 1, 1, 5));
    WORKS(lw_stream_wait(s));
    CHECK(gate.count == 3);
    lw_event_destroy(e);
    lw_stream_destroy(s);
}

/* Who calls the function deals with its status: nothing is kept. A NULL stream has no place for it.
 */
static void refused_to_caller(void)
{
    lw_stream *s = new_stream();
    lw_arg arg = lw_arg_int(1);

    CHECK(lw_stream_launch(s, step, lw_dim_1(0), lw_dim_1(1), NULL, &arg, 1) == LW_E_SHAPE);
    WORKS(lw_stream_wait(s));
    FAILS(LW_LAUNCH(NULL, step, 1, 1, 1), LW_E_ARG, "the stream is NULL");
    FAILS(LW_LAUNCH(s, NULL, 1, 1, 1), LW_E_ARG, "the kernel is NULL");
    FAILS(lw_stream_wait(s), LW_E_ARG, "the kernel is NULL");
    lw_stream_destroy(s);
}

/* A note waits for a wait that is in time, comes before the stream's failure, and is not made of
 * launches on a stream that has failed. */
static void refused_and_failed(void)
{
    lw_stream *s = new_stream();

    gate_set(false);
    LW_LAUNCH(s, step, 1, 1, HOLD);
    LW_LAUNCH(s, step, 1, 0, 1);
    LW_LAUNCH(s, step, 1, 1, FAIL);
    FAILS(lw_stream_wait_for(s, 1000000), LW_E_TIMEOUT,
          "the work of the stream is not done in time; it goes on");
    gate_set(true);
    FAILS(lw_stream_wait(s), LW_E_SHAPE,
          "step: block 0 x 1 x 1 has no threads; need at least 1 each");
    FAILS(lw_stream_wait(s), LW_E_LAUNCH, "step: told to fail");
    CHECK(LW_LAUNCH(s, step, 1, 0, 1) == LW_E_SHAPE);
    FAILS(lw_stream_wait(s), LW_E_LAUNCH, "step: told to fail");
    lw_stream_destroy(s);
}

static void cancel(void)
{
    lw_stream *s = new_stream();

    gate.count = 0;
    WORKS(LW_LAUNCH(s, step, 1, 1, SPIN));
    WORKS(LW_LAUNCH(s, step, 1, 1, 1));
    while (lw_stream_wait_for(s, 1000000) != LW_E_TIMEOUT)
        ;
    lw_stream_cancel(s);
    CHECK(lw_stream_wait(s) == LW_E_LAUNCH);
    CHECK(!strcmp(lw_last_error(), "step: cancelled while it ran") ||
          !strcmp(lw_last_error(), "the stream was cancelled")); /* before a worker took it up */
    CHECK(gate.count == 0);
    lw_stream_destroy(s);
    s = new_stream();
    lw_stream_cancel(s);
    FAILS(LW_LAUNCH(s, step, 1, 1, 1), LW_E_LAUNCH, "the stream was cancelled");
    lw_stream_destroy(s);
    lw_stream_cancel(NULL);
    FAILS(lw_stream_wait(NULL), LW_E_ARG, "the stream is NULL");
}

/* b waits for a's mark; many streams that wait take up no worker. */
static void events(void)
{
    lw_stream *a = new_stream(), *waiting[64];

    gate.count = 0;
    gate_set(false);
    lw_event *begin;
    WORKS(lw_event_create(device, &begin));
    lw_event *end;
    WORKS(lw_event_create(device, &end));
    FAILS(lw_event_wait(begin), LW_E_ARG,
          "the event was never recorded; lw_event_record comes first");
    uint64_t nanoseconds;
    FAILS(lw_event_elapsed(begin, end, &nanoseconds), LW_E_ARG,
          "the first event was never recorded");
    WORKS(lw_event_record(begin, a));
    WORKS(LW_LAUNCH(a, step, 1, 1, HOLD));
    WORKS(LW_LAUNCH(a, step, 1, 1, 1));
    WORKS(lw_event_record(end, a));
    for (int i = 0; i < 64; i++) {
        waiting[i] = new_stream();
        WORKS(lw_stream_wait_event(waiting[i], end));
        WORKS(LW_LAUNCH(waiting[i], step, 1, 1, 2));
    }
    WORKS(lw_event_wait(begin));
    FAILS(lw_event_elapsed(begin, end, &nanoseconds), LW_E_ARG,
          "the last event is not done; wait for it first");
    gate_set(true);
    WORKS(lw_event_wait(end));
    WORKS(lw_event_elapsed(begin, end, &nanoseconds));
    CHECK(nanoseconds > 0);
    FAILS(lw_event_elapsed(begin, end, NULL), LW_E_ARG, "the place for the time is NULL");
    CHECK(lw_event_elapsed(end, begin, &nanoseconds) == LW_E_ARG);
    for (int i = 0; i < 64; i++) {
        WORKS(lw_stream_wait(waiting[i]));
        lw_stream_destroy(waiting[i]);
    }
    CHECK(gate.count == 65 && gate.log[0] == 1);
    lw_stream_destroy(a);
    WORKS(lw_event_wait(end)); /* outlives its stream */
    lw_event_destroy(begin);
    lw_event_destroy(end);
    lw_event_destroy(NULL);
}

static void failed_event(void)
{
    lw_stream *a = new_stream(), *b = new_stream();

    gate_set(false);
    lw_event *e;
    WORKS(lw_event_create(device, &e));
    WORKS(LW_LAUNCH(a, step, 1, 1, HOLD));
    WORKS(LW_LAUNCH(a, step, 1, 1, FAIL));
    WORKS(lw_event_record(e, a));
    WORKS(lw_stream_wait_event(b, e));
    lw_event_destroy(e); /* the streams keep its mark */
    gate_set(true);
    FAILS(lw_stream_wait(b), LW_E_LAUNCH, "an event waited for failed: step: told to fail");
    lw_stream_destroy(a);
    lw_stream_destroy(b);
}

static void *open_gate_soon(void *unused)
{
    (void)unused;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    gate_set(true);
    return NULL;
}

/* A buffer is read, written and mapped when the launches that use it are done; all handles may go
 * while they run. */
static void busy_buffers(void)
{
    lw_stream *s = new_stream();
    float x[4];

    lw_buffer *b;
    WORKS(lw_buffer_create(device, LW_F32, 4, &b));
    void *memory;
    pthread_t thread;
    for (int i = 0; i < 3; i++) {
        gate_set(false);
        WORKS(LW_LAUNCH(s, touch, 1, 1, HOLD, b));
        WORKS(LW_LAUNCH(s, touch, 1, 1, 1, b));
        pthread_create(&thread, NULL, open_gate_soon, NULL);
        gate.count = 0;
        if (i == 0)
            WORKS(lw_buffer_read(b, 0, 4, x));
        else if (i == 1)
            WORKS(lw_buffer_write(b, 0, 4, x));
        else
            WORKS(lw_buffer_map(b, &memory));
        CHECK(gate.count == 1);
        pthread_join(thread, NULL);
    }
    WORKS(lw_buffer_unmap(b));
    gate_set(false);
    WORKS(LW_LAUNCH(s, touch, 1, 1, HOLD, b));
    lw_buffer_destroy(b);
    gate_tear_down();
    gate_set(true);
    lw_stream_destroy(s);
    gate_set_up();
}

static int lines;

static void count_line(const lw_output *line, void *user)
{
    lines += line->text && !strcmp(line->text, "printed") && user == &lines;
}

static void output(void)
{
    lw_stream *s = new_stream();

    lw_stream_on_output(s, count_line, &lines);
    WORKS(LW_LAUNCH(s, step, 1, 1, PRINT));
    WORKS(LW_LAUNCH(s, step, 1, 1, RUN));
    WORKS(LW_LAUNCH(s, step, 1, 1, PRINT));
    WORKS(lw_stream_wait(s));
    CHECK(lines == 2);
    WORKS(lw_stream_wait(s));
    CHECK(lines == 2);
    WORKS(LW_LAUNCH(s, step, 1, 1, PRINT));
    WORKS(LW_LAUNCH(s, step, 1, 1, FAIL));
    CHECK(lw_stream_wait(s) == LW_E_LAUNCH && lines == 3);
    lw_stream_destroy(s);
    s = new_stream();
    WORKS(LW_LAUNCH(s, step, 1, 1, PRINT));
    lw_stream_destroy(s);
    lw_stream_on_output(NULL, count_line, NULL);
}

static void arguments(void)
{
    lw_device *other = open_device("null");
    lw_stream *s;

    FAILS(lw_stream_create(NULL, &s), LW_E_ARG, "the device is NULL");
    FAILS(lw_stream_create(device, NULL), LW_E_ARG, "the place for the stream is NULL");
    lw_event *e;
    FAILS(lw_event_create(NULL, &e), LW_E_ARG, "the device is NULL");
    FAILS(lw_event_create(device, NULL), LW_E_ARG, "the place for the event is NULL");
    WORKS(lw_event_create(other, &e));
    s = new_stream();
    FAILS(lw_event_record(e, s), LW_E_DEVICE,
          "the event is of device 'null', the stream of device 'gate'");
    FAILS(lw_event_record(NULL, s), LW_E_ARG, "the event is NULL");
    FAILS(lw_event_record(e, NULL), LW_E_ARG, "the stream is NULL");
    FAILS(lw_stream_wait_event(s, e), LW_E_DEVICE,
          "the event is of device 'null', the stream of device 'gate'");
    FAILS(lw_event_wait(NULL), LW_E_ARG, "the event is NULL");
    lw_stream_destroy(s);
    lw_event_destroy(e);
    lw_device_close(other);
}

int main(void)
{
    setenv("LANEWISE_NUM_THREADS", "2", 1);
    gate_set_up();
    order();
    side_by_side();
    failure();
    refused();
    refused_to_caller();
    refused_and_failed();
    cancel();
    events();
    failed_event();
    busy_buffers();
    output();
    arguments();
    gate_tear_down();
    return failures != 0;
}
