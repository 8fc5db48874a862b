/* ops_values.h - for tests of operations: elements of all dtypes on the host, random ones, devices.
 *
 * A value is kept as it is stored; as_real and as_int read it. An f16 and a bf16 are converted by
 * arithmetic on their fields, apart from what kernels do.
 */
#ifndef OPS_VALUES_H
#define OPS_VALUES_H
#include <lanewise/ops.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static lw_device *device;
static lw_stream *stream;

#define WORKS(call)                                                                                \
    do {                                                                                           \
        if ((call) != LW_OK) {                                                                     \
            failures++;                                                                            \
            printf("%s:%d: %s\n", __FILE__, __LINE__, lw_last_error());                            \
        }                                                                                          \
    } while (0)

static inline void fails(lw_status got, lw_status status, const char *text, int line)
{
    if (got == status && !strcmp(lw_last_error(), text))
        return;
    failures++;
    printf("line %d: status %d, need %d\n    got  \"%s\"\n    need \"%s\"\n", line, got, status,
           lw_last_error(), text);
}
#define FAILS(call, status, text) fails((call), (status), (text), __LINE__)

/* ---- numbers ---- */

static uint64_t random_state = 1;

static inline uint64_t random_bits(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline size_t random_below(size_t n)
{
    return (size_t)(random_bits() % n);
}
static inline double random_real(void)
{
    return (double)(random_bits() >> 11) * 0x1p-52 - 1;
}

static inline bool is_float(lw_dtype t)
{
    return t >= LW_F16;
}
static inline bool is_unsigned(lw_dtype t)
{
    return t >= LW_U8 && t <= LW_BOOL;
}

/* The fields of a small float: bits of its significand and of its exponent. */
static inline double from_fields(unsigned bits, int significand, int exponent)
{
    const int field = (int)(bits >> significand & ((1u << exponent) - 1)),
              top = (1 << exponent) - 1;
    const unsigned rest = bits & ((1u << significand) - 1);
    const int bias = top / 2;
    double v;

    if (field == top)
        v = rest ? (double)NAN : (double)INFINITY;
    else if (field == 0)
        v = ldexp(rest, 1 - bias - significand);
    else
        v = ldexp(rest + (1u << significand), field - bias - significand);
    return bits >> (significand + exponent) & 1 ? -v : v;
}

/* v rounded to so many bits of precision, the lowest of which is at least 2^lowest; overflow at
 * 2^highest. One rounding, ties to even. */
static inline double round_to(double v, int precision, int lowest, int highest)
{
    if (v == 0 || !isfinite(v))
        return v;
    int exponent;
    frexp(v, &exponent);
    int place = exponent - precision;
    if (place < lowest)
        place = lowest;
    v = ldexp(nearbyint(ldexp(v, -place)), place);
    return fabs(v) >= ldexp(1, highest) ? copysign(INFINITY, v) : v;
}

static inline double rounded(double v, lw_dtype t)
{
    switch (t) {
    case LW_F16: return round_to(v, 11, -24, 16);
    case LW_BF16: return round_to(v, 8, -133, 128);
    case LW_F32: return (double)(float)v;
    default: return v;
    }
}

/* A real as an integer of this dtype: toward zero and saturated; of a NaN 0. */
static inline uint64_t saturated(double v, lw_dtype t)
{
    const int bits = 8 * (int)lw_dtype_size(t);
    const double end = ldexp(1, is_unsigned(t) ? bits : bits - 1);
    const uint64_t most = UINT64_MAX >> (64 - bits) >> !is_unsigned(t);

    if (t == LW_BOOL)
        return v != 0;
    if (isnan(v) || (is_unsigned(t) && v < 0))
        return 0;
    if (v >= end)
        return most;
    if (v < -end)
        return ~most;
    return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}

/* ---- memory ---- */

static inline double as_real(const void *memory, lw_dtype t, size_t i)
{
    switch (t) {
    case LW_I8: return ((const int8_t *)memory)[i];
    case LW_I16: return ((const int16_t *)memory)[i];
    case LW_I32: return ((const int32_t *)memory)[i];
    case LW_I64: return (double)((const int64_t *)memory)[i];
    case LW_U8: return ((const uint8_t *)memory)[i];
    case LW_U16: return ((const uint16_t *)memory)[i];
    case LW_U32: return ((const uint32_t *)memory)[i];
    case LW_U64: return (double)((const uint64_t *)memory)[i];
    case LW_BOOL: return ((const bool *)memory)[i];
    case LW_F16: return from_fields(((const uint16_t *)memory)[i], 10, 5);
    case LW_BF16: return from_fields(((const uint16_t *)memory)[i], 7, 8);
    case LW_F32: return (double)((const float *)memory)[i];
    default: return ((const double *)memory)[i];
    }
}

/* Integers, modulo 2^64. */
static inline int64_t as_int(const void *memory, lw_dtype t, size_t i)
{
    if (t == LW_I64 || t == LW_U64)
        return ((const int64_t *)memory)[i];
    return (int64_t)as_real(memory, t, i);
}

/* The bits of a number that f16 or bf16 holds. */
static inline uint16_t to_fields(double v, int significand, int exponent)
{
    const int bias = (1 << (exponent - 1)) - 1;
    const unsigned sign = signbit(v) ? 1u << (significand + exponent) : 0;

    if (isnan(v))
        return (uint16_t)(sign | ((1u << (exponent + 1)) - 1) << (significand - 1));
    if (isinf(v))
        return (uint16_t)(sign | ((1u << exponent) - 1) << significand);
    if (v == 0)
        return (uint16_t)sign;
    int e;
    frexp(v, &e);
    if (e - 1 < 1 - bias)
        return (uint16_t)(sign | (unsigned)ldexp(fabs(v), bias - 1 + significand));
    return (uint16_t)(sign | (unsigned)(e - 1 + bias) << significand |
                      ((unsigned)ldexp(fabs(v), significand - e + 1) & ((1u << significand) - 1)));
}

/* memory[i] = v, rounded to a floating type. */
static inline void put_real(void *memory, lw_dtype t, size_t i, double v)
{
    if (t == LW_F16)
        ((uint16_t *)memory)[i] = to_fields(rounded(v, t), 10, 5);
    else if (t == LW_BF16)
        ((uint16_t *)memory)[i] = to_fields(rounded(v, t), 7, 8);
    else if (t == LW_F32)
        ((float *)memory)[i] = (float)v;
    else
        ((double *)memory)[i] = v;
}

/* Small reals, and any bits for integers. */
static inline void put_random(void *memory, lw_dtype t, size_t i)
{
    const uint64_t bits = random_bits();
    const size_t size = lw_dtype_size(t);

    if (is_float(t))
        put_real(memory, t, i, random_real() * 4);
    else if (t == LW_BOOL)
        ((bool *)memory)[i] = bits & 1;
    else
        memcpy((char *)memory + i * size, &bits, size);
}

/* ---- tensors ---- */

/* A tensor in a buffer that has the same elements on the host. */
struct array {
    lw_dtype dtype;
    size_t count;
    void *memory;
    lw_buffer *buffer;
    lw_tensor t;
};

static inline struct array new_array(lw_dtype dtype, int rank, const ptrdiff_t *extents)
{
    struct array a = {.dtype = dtype, .count = 1};

    for (int k = 0; k < rank; k++)
        a.count *= (size_t)extents[k];
    a.memory = calloc(a.count + 1, 8);
    WORKS(lw_buffer_create(device, dtype, a.count, &a.buffer));
    WORKS(lw_tensor_of(a.buffer, rank, extents, &a.t));
    return a;
}

static inline void send(const struct array *a)
{
    WORKS(lw_buffer_write(a->buffer, 0, a->count, a->memory));
}
static inline void receive(const struct array *a)
{
    WORKS(lw_stream_wait(stream));
    WORKS(lw_buffer_read(a->buffer, 0, a->count, a->memory));
}
static inline void drop(struct array *a)
{
    lw_buffer_destroy(a->buffer);
    free(a->memory);
}

static inline struct array random_array(lw_dtype dtype, int rank, const ptrdiff_t *extents)
{
    struct array a = new_array(dtype, rank, extents);

    for (size_t i = 0; i < a.count; i++)
        put_random(a.memory, dtype, i);
    send(&a);
    return a;
}

/* Where element `index` of a tensor stands in its buffer. */
static inline size_t place_of(const lw_tensor *t, const ptrdiff_t *index)
{
    ptrdiff_t at = (ptrdiff_t)t->offset;

    for (int k = 0; k < t->rank; k++)
        at += index[k] * t->stride[k];
    return (size_t)at;
}

/* ---- devices ---- */

/* The device that the arguments name, as "cpu" or "cpu:avx2:3" (level, threads). False: it is not
 * there, and the test is skipped. */
static inline bool open_device(int count, char **arguments)
{
    char name[64] = "cpu", *level, *threads;

    if (count > 1)
        snprintf(name, sizeof name, "%s", arguments[1]);
    level = strchr(name, ':');
    if (level && !strncmp(name, "cpu:", 4)) {
        *level++ = 0;
        threads = strchr(level, ':');
        if (threads)
            *threads++ = 0;
        setenv("LANEWISE_CPU", level, 1);
        if (threads)
            setenv("LANEWISE_NUM_THREADS", threads, 1);
    }
    if (lw_device_open(name, &device)) {
        printf("%s\n", lw_last_error());
        return false;
    }
    WORKS(lw_stream_create(device, &stream));
    return true;
}

static inline int done(void)
{
    lw_stream_destroy(stream);
    lw_device_close(device);
    if (failures)
        printf("%d failures\n", failures);
    return failures != 0;
}
#endif
