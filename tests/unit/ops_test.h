/* ops_test.h - for tests of operations on real devices: checks, devices, tensors with values. */
#ifndef LW_TESTS_OPS_TEST_H
#define LW_TESTS_OPS_TEST_H
#include <lanewise/ops.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static inline void check(bool right, const char *what, const char *file, int line)
{
    if (right)
        return;
    failures++;
    printf("%s:%d: %s (%s)\n", file, line, what, lw_last_error());
}
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
#define WORKS(call) check((call) == LW_OK, #call, __FILE__, __LINE__)

/* A device as a test asks for it: LANEWISE_CPU and LANEWISE_NUM_THREADS where not NULL. */
struct setting {
    const char *device, *level, *threads;
};

/* ref first: the others must leave its bits. */
static const struct setting settings[] = {
    {"ref", NULL, NULL}, {"cpu", "baseline", "2"}, {"cpu", "avx2", "1"}, {"cpu", "avx512", "1"},
    {"cpu", NULL, "2"},  {"cpu", NULL, "3"},       {"cpu", NULL, "7"},   {"cuda", NULL, NULL},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

struct opened {
    lw_device *device;
    lw_stream *stream;
};

/* Leaves NULL where this machine has no such device. */
static inline void open_device(const struct setting *s, struct opened *o)
{
    if (s->level)
        setenv("LANEWISE_CPU", s->level, 1);
    else
        unsetenv("LANEWISE_CPU");
    setenv("LANEWISE_NUM_THREADS", s->threads ? s->threads : "1", 1);
    if (lw_device_open(s->device, &o->device) == LW_OK)
        WORKS(lw_stream_create(o->device, &o->stream));
}

static inline void close_device(struct opened *o)
{
    lw_stream_destroy(o->stream);
    lw_device_close(o->device);
}

/* ---- tensors ---- */

static inline lw_buffer *buffer_with(lw_device *d, lw_dtype t, size_t count, const void *bytes)
{
    lw_buffer *b;

    WORKS(lw_buffer_create(d, t, count, &b));
    WORKS(lw_buffer_write(b, 0, count, bytes));
    return b;
}

static inline lw_tensor plain(lw_buffer *b, int rank, ptrdiff_t a, ptrdiff_t c, ptrdiff_t e,
                              ptrdiff_t f)
{
    lw_tensor t = {.buffer = b, .rank = rank, .extent = {a, c, e, f}};

    return t;
}

/* A call must be refused with this status and this message. */
static inline void refuse(lw_status got, lw_status need, const char *text, int line)
{
    if (got == need && !strcmp(lw_last_error(), text))
        return;
    failures++;
    printf("line %d: %d, need %d\n    got  %s\n    need %s\n", line, got, need, lw_last_error(),
           text);
}

/* ---- values ---- */

/* Numbers from -1 to 1, always the same ones. */
static inline double next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int32_t)(*state >> 32) / 2147483648.0;
}

__extension__ typedef _Float16 half;

/* An element of a floating type; bf16 by truncation. */
static inline void put_real(lw_dtype t, char *at, double v)
{
    const float f = (float)v;
    const half h = (half)v;

    if (t == LW_F64)
        memcpy(at, &v, 8);
    else if (t == LW_F16)
        memcpy(at, &h, 2);
    else if (t == LW_F32)
        memcpy(at, &f, 4);
    else
        memcpy(at, (const char *)&f + 2, 2);
}

static inline double get_real(lw_dtype t, const char *at)
{
    float f = 0;

    double v;
    if (t == LW_F64) {
        memcpy(&v, at, 8);
        return v;
    }
    half h;
    if (t == LW_F16) {
        memcpy(&h, at, 2);
        return (double)h;
    }
    memcpy((char *)&f + (t == LW_F32 ? 0 : 2), at, t == LW_F32 ? 4 : 2);
    return f;
}
#endif
