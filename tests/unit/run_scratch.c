/* Scratch memory of streams: lent again in order, grown while launches use what was there, apart
 * for two takers at a time. */
#include "run_gate.h"

static lw_buffer *take(lw_stream *s, size_t bytes)
{
    lw_buffer *b = NULL;

    WORKS(lw_stream_scratch(s, bytes, &b));
    CHECK(lw_buffer_bytes(b) >= bytes && lw_buffer_dtype(b) == LW_U8);
    return b;
}

static void again(void)
{
    lw_stream *s = new_stream();
    lw_buffer *first = take(s, 1000), *second, *third, *large;

    second = take(s, 1);
    CHECK(first != second);
    lw_stream_scratch_done(s, first);
    lw_stream_scratch_done(s, second);
    third = take(s, 0);
    CHECK(third == first || third == second);
    lw_stream_scratch_done(s, third);
    WORKS(lw_stream_reserve(s, 1 << 20));
    large = take(s, 1 << 20);
    CHECK(take(s, 1000) != large);
    lw_stream_scratch_done(s, large);
    CHECK(take(s, 1 << 18) == large);
    lw_stream_scratch_done(s, NULL);
    lw_stream_scratch_done(NULL, large);
    lw_stream_destroy(s);
}

/* What is lent is the smallest that fits. */
static void smallest(void)
{
    lw_stream *s = new_stream();
    lw_buffer *large = take(s, 1 << 20), *small = take(s, 100), *middle = take(s, 1 << 18);

    lw_stream_scratch_done(s, large);
    lw_stream_scratch_done(s, small);
    lw_stream_scratch_done(s, middle);
    CHECK(take(s, 1 << 17) == middle);
    CHECK(take(s, 1 << 17) == large);
    CHECK(take(s, 10) == small);
    lw_stream_destroy(s);
}

/* A launch that runs keeps its memory while that grows. */
static void growth(void)
{
    static char text[64 << 10];
    lw_stream *s = new_stream();
    lw_buffer *b = take(s, sizeof text), *grown;
    lw_program *p =
        build_rows(device, "kernel\tu\tvoid u(int what, void *x)\t1\t0\t0\t0\t0\t0\t16\n"
                           "param\twhat\tint\ti32\t0\t4\t0\nparam\tx\tvoid *\tp(void)"
                           "\t8\t8\t0\n");

    memset(text, 'x', sizeof text);
    WORKS(lw_buffer_write(b, 0, sizeof text, text));
    gate_set(false);
    WORKS(LW_LAUNCH(s, first_kernel(p), 1, 1, HOLD, b));
    gate_wait_held(1);
    lw__buffer_hold(b);
    lw_stream_scratch_done(s, b);
    grown = take(s, 2 * sizeof text);
    CHECK(grown != b && lw_buffer_bytes(grown) >= 2 * sizeof text);
    CHECK(!memcmp(b->memory, text, sizeof text) && b->holds == 2);
    gate_set(true);
    WORKS(lw_stream_wait(s));
    CHECK(b->holds == 1);
    lw_buffer_destroy(b);
    lw_stream_destroy(s);
    lw_program_destroy(p);
}

static void refusals(void)
{
    lw_stream *s = new_stream();
    lw_buffer *b = (lw_buffer *)&b;

    FAILS(lw_stream_scratch(NULL, 1, &b), LW_E_ARG, "the stream is NULL");
    FAILS(lw_stream_scratch(s, 1, NULL), LW_E_ARG, "the place for the buffer is NULL");
    FAILS(lw_stream_reserve(NULL, 1), LW_E_ARG, "the stream is NULL");
    CHECK(lw_stream_scratch(s, SIZE_MAX, &b) == LW_E_MEMORY && !b);
    CHECK(lw_stream_reserve(s, SIZE_MAX / 2 - 1) == LW_E_MEMORY);
    CHECK(take(s, 1) != NULL);
    lw_stream_destroy(s);
}

/* ---- another allocator ---- */

struct allocator {
    lw_buffer *made;
    int lent, back;
    bool is_empty;
};

static lw_status lend(size_t bytes, lw_buffer **buffer, void *user)
{
    struct allocator *a = user;

    a->lent++;
    if (a->is_empty)
        return lw_fail(LW_E_MEMORY, "the allocator has no %zu bytes", bytes);
    LW_TRY(lw_buffer_create(device, LW_U8, bytes, &a->made));
    *buffer = a->made;
    return LW_OK;
}

static void take_back(lw_buffer *buffer, void *user)
{
    struct allocator *a = user;

    CHECK(buffer == a->made);
    lw_buffer_destroy(buffer);
    a->back++;
}

static void another_lends(void)
{
    struct allocator a = {0};
    lw_stream *s = new_stream();
    lw_buffer *b, *own = take(s, 1000);

    lw_stream_scratch_done(s, own);
    lw_stream_on_scratch(s, (lw_lender){lend, take_back, &a});
    b = take(s, 1000);
    CHECK(b == a.made && b != own && a.lent == 1 && a.back == 0);
    lw_stream_scratch_done(s, b);
    lw_stream_scratch_done(s, NULL);
    CHECK(a.back == 1);
    WORKS(lw_stream_reserve(s, 10));
    CHECK(a.lent == 2 && a.back == 2);
    a.is_empty = true;
    FAILS(lw_stream_scratch(s, 7, &b), LW_E_MEMORY, "the allocator has no 7 bytes");
    CHECK(!b && a.back == 2);
    lw_stream_on_scratch(s, (lw_lender){0});
    CHECK(take(s, 1000) == own);
    lw_stream_on_scratch(NULL, (lw_lender){0});
    lw_stream_destroy(s);
}

/* ---- many threads on one stream ---- */

enum { THREADS = 8, ROUNDS = 200 };

static void *use(void *stream)
{
    for (size_t i = 0; i < ROUNDS; i++) {
        lw_buffer *b = take(stream, 1000 * (i % 100 + 1));

        memset(b->memory, (int)i, 1000); /* a race unless it is ours alone */
        lw_stream_scratch_done(stream, b);
    }
    return NULL;
}

static void threads(void)
{
    lw_stream *s = new_stream();
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&thread[i], NULL, use, s));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(thread[i], NULL));
    lw_stream_destroy(s);
}

int main(void)
{
    gate_set_up();
    again();
    smallest();
    growth();
    refusals();
    another_lends();
    threads();
    gate_tear_down();
    return failures != 0;
}
