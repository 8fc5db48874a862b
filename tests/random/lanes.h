/* lanes.h - what the scalar programs are written in: all threads of a block side by side.
 *
 * A variable of the kernel is an array over the threads, a mask says which of them are at a
 * statement, and what they do together is computed for the mask. 16-bit floats live in float and
 * are rounded after every operation, by frexp and rint. The reductions and scans are the
 * definitions in the language's reference written down as recursions.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char mask;
#define ALL for (int t = 0; t < NT; t++)
#define EACH(m) ALL if (m[t])

static bool any_of(const mask *m, int nt)
{
    for (int t = 0; t < nt; t++)
        if (m[t])
            return true;
    return false;
}

/* ---- 16-bit floats ------------------------------------------------------------------------- */

/* Rounded to so many significant digits, but to no finer than 2^least, half to even. */
static inline float narrow(long double x, int digits, int least, long double greatest)
{
    if (x == 0 || isnan(x) || isinf(x))
        return (float)x;
    int e;
    frexpl(x, &e);
    int step = e - digits > least ? e - digits : least;
    long double y = ldexpl(rintl(ldexpl(x, -step)), step);
    return fabsl(y) > greatest ? copysignf(INFINITY, (float)x) : (float)y;
}

static inline float f16(long double x)
{
    return narrow(x, 11, -24, 65504.0L);
}
static inline float bf16(long double x)
{
    return narrow(x, 8, -133, 0x1.fep127L);
}

static inline uint16_t store16(float x, int digits, int bias)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    uint16_t top = (uint16_t)((2 * bias + 1) << (digits - 1));
    if (isnan(x))
        return (uint16_t)(top | 1 << (digits - 2));
    if (isinf(x))
        return sign | top;
    int e;
    float fraction = frexpf(fabsf(x), &e); /* in [1/2, 1) */
    if (x == 0)
        return sign;
    if (e - 1 < 1 - bias)
        return sign | (uint16_t)ldexpf(fabsf(x), bias - 2 + digits);
    uint16_t digits_of = (uint16_t)ldexpf(fraction, digits);
    return sign | (uint16_t)(((e - 1 + bias) << (digits - 1)) + digits_of - (1 << (digits - 1)));
}

static inline float load16(uint16_t bits, int digits, int bias)
{
    int field = (bits & 0x7fff) >> (digits - 1), fraction = bits & ((1 << (digits - 1)) - 1);
    float x = field == 2 * bias + 1 ? fraction ? NAN : INFINITY
              : field ? ldexpf((float)(fraction + (1 << (digits - 1))), field - bias - digits + 1)
                      : ldexpf((float)fraction, 2 - bias - digits);
    return bits & 0x8000 ? -x : x;
}

static inline uint16_t put_f16(float x)
{
    return store16(x, 11, 15);
}
static inline uint16_t put_bf16(float x)
{
    return store16(x, 8, 127);
}
static inline float get_f16(uint16_t x)
{
    return load16(x, 11, 15);
}
static inline float get_bf16(uint16_t x)
{
    return load16(x, 8, 127);
}

/* ---- numbers ------------------------------------------------------------------------------- */

/* A float as an integer: toward zero, the nearest that there is, 0 of a NaN. */
#define FROM_FLOAT(name, T, least, greatest)                                                       \
    static inline T to_##name(double x)                                                            \
    {                                                                                              \
        return isnan(x) ? 0 : x <= least ? least : x >= greatest ? greatest : (T)x;                \
    }
FROM_FLOAT(i8, int8_t, INT8_MIN, INT8_MAX)
FROM_FLOAT(i16, int16_t, INT16_MIN, INT16_MAX)
FROM_FLOAT(i32, int32_t, INT32_MIN, INT32_MAX)
FROM_FLOAT(i64, int64_t, INT64_MIN, INT64_MAX)
FROM_FLOAT(u8, uint8_t, 0, UINT8_MAX)
FROM_FLOAT(u16, uint16_t, 0, UINT16_MAX)
FROM_FLOAT(u32, uint32_t, 0, UINT32_MAX)
FROM_FLOAT(u64, uint64_t, 0, UINT64_MAX)

static inline int bit_count(uint64_t x)
{
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static inline int bit_length(uint64_t x)
{
    int n = 0;
    for (; x; x >>= 1)
        n++;
    return n;
}

#define popcount(x, width) bit_count(x)
#define clz(x, width) ((width) - bit_length(x))
#define CLZ(x, width) clz(x, width)
#define CTZ(x, width) ctz(x, width)
#define ctz(x, width) ((x) ? bit_length((x) & -(uint64_t)(x)) - 1 : (width))
#define ffs(x, width) bit_length((x) & -(uint64_t)(x))

/* A sum, difference or product; the opposite of its low bits where they are not all. */
#define UNLESS_OVER(op, T, a, b)                                                                   \
    __extension__({                                                                                \
        T result_;                                                                                 \
        bool is_over_ = __builtin_##op##_overflow(a, b, &result_);                                 \
        is_over_ ? (T)~result_ : result_;                                                          \
    })

/* The greater of two floats: a NaN loses, -0 < +0. */
#define GREATER(a, b)                                                                              \
    ((a) != (a)   ? (b)                                                                            \
     : (b) != (b) ? (a)                                                                            \
     : (a) == (b) ? (signbit(a) ? (b) : (a))                                                       \
     : (a) > (b)  ? (a)                                                                            \
                  : (b))
#define LESSER(a, b)                                                                               \
    ((a) != (a)   ? (b)                                                                            \
     : (b) != (b) ? (a)                                                                            \
     : (a) == (b) ? (signbit(a) ? (a) : (b))                                                       \
     : (a) < (b)  ? (a)                                                                            \
                  : (b))

static inline float lesserf(float a, float b)
{
    return LESSER(a, b);
}

static inline double lesser(double a, double b)
{
    return LESSER(a, b);
}

static inline float greaterf(float a, float b)
{
    return GREATER(a, b);
}

static inline double greater(double a, double b)
{
    return GREATER(a, b);
}

/* Functions of whole numbers of `bits` bits; WIDE has twice as many. */
__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide_unsigned;
#define WHOLE(name, T, U, WIDE, bits)                                                              \
    static inline T min_##name(T a, T b)                                                           \
    {                                                                                              \
        return LEAST(a, b);                                                                        \
    }                                                                                              \
    static inline T max_##name(T a, T b)                                                           \
    {                                                                                              \
        return MOST(a, b);                                                                         \
    }                                                                                              \
    static inline T clamp_##name(T a, T low, T high)                                               \
    {                                                                                              \
        return LEAST(MOST(a, low), high);                                                          \
    }                                                                                              \
    static inline T abs_##name(T a)                                                                \
    {                                                                                              \
        return a > 0 ? a : (T) - (U)a;                                                             \
    }                                                                                              \
    static inline T mulhi_##name(T a, T b)                                                         \
    {                                                                                              \
        return (T)((WIDE)a * b >> bits);                                                           \
    }                                                                                              \
    static inline T rotate_left_##name(T a, int n)                                                 \
    {                                                                                              \
        const int places = n & (bits - 1);                                                         \
        return places ? (T)((U)a << places | (U)a >> (bits - places)) : a;                         \
    }                                                                                              \
    static inline T bitreverse_##name(T a)                                                         \
    {                                                                                              \
        U all = 0;                                                                                 \
        for (int k = 0; k < bits; k++)                                                             \
            all |= ((U)a >> k & 1) << (bits - 1 - k);                                              \
        return (T)all;                                                                             \
    }                                                                                              \
    static inline T byte_swap_##name(T a)                                                          \
    {                                                                                              \
        U all = 0;                                                                                 \
        for (int k = 0; k < bits; k += 8)                                                          \
            all |= ((U)a >> k & 255) << (bits - 8 - k);                                            \
        return (T)all;                                                                             \
    }

/* Of the elements of a short vector, from the first to the last. */
#define REDUCE_VECTOR(T, v, n, COMBINE)                                                            \
    __extension__({                                                                                \
        T all_ = (v)[0];                                                                           \
        for (int k_ = 1; k_ < (n); k_++)                                                           \
            all_ = (T)(COMBINE(all_, (v)[k_]));                                                    \
        all_;                                                                                      \
    })
#define SUM(a, b) ((uint64_t)(a) + (uint64_t)(b))
#define PRODUCT(a, b) ((uint64_t)(a) * (uint64_t)(b))
#define BITS_AND(a, b) ((a) & (b))
#define BITS_OR(a, b) ((a) | (b))
#define BITS_XOR(a, b) ((a) ^ (b))
#define MOST(a, b) ((a) > (b) ? (a) : (b))
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
WHOLE(i32, int32_t, uint32_t, int64_t, 32)
WHOLE(u32, uint32_t, uint32_t, uint64_t, 32)
WHOLE(i64, int64_t, uint64_t, wide_signed, 64)
WHOLE(u64, uint64_t, uint64_t, wide_unsigned, 64)

/* ---- exponents: what is no finite number has none ------------------------------------------ */

static inline int exponent_of(double x)
{
    int n = 0;
    if (isfinite(x))
        frexp(x, &n);
    return n;
}

static inline double fraction_of(double x)
{
    int n;
    return isfinite(x) ? frexp(x, &n) : x;
}

static inline float fraction_off(float x)
{
    return (float)fraction_of(x);
}

/* By squares, from the lowest bit. */
#define POWI(name, T)                                                                              \
    static inline T name(T x, int n)                                                               \
    {                                                                                              \
        T all = 1;                                                                                 \
        for (int k = n < 0 ? -n : n; k; k /= 2, x *= x)                                            \
            if (k % 2)                                                                             \
                all *= x;                                                                          \
        return n < 0 ? 1 / all : all;                                                              \
    }
POWI(powi, double)
POWI(powif, float)

/* ---- together ------------------------------------------------------------------------------ */

/* REDUCTION(name, T, expression) defines name_tree: what the places from `first` on, `size` of
 * them, make together, if any of them is there; and name, for each warp or for the block. */
#define REDUCTION(name, T, expression)                                                             \
    static bool name##_tree(const mask *m, const T *v, int nt, int first, int size, T *out)        \
    {                                                                                              \
        if (first >= nt || (size == 1 && !m[first]))                                               \
            return false;                                                                          \
        if (size == 1) {                                                                           \
            *out = v[first];                                                                       \
            return true;                                                                           \
        }                                                                                          \
        T a, b;                                                                                    \
        bool left = name##_tree(m, v, nt, first, size / 2, &a);                                    \
        bool right = name##_tree(m, v, nt, first + size / 2, size / 2, &b);                        \
        if (left || right)                                                                         \
            *out = left && right ? (T)(expression) : left ? a : b;                                 \
        return left || right;                                                                      \
    }                                                                                              \
    static void name(const mask *m, const T *v, T *r, int nt, int width)                           \
    {                                                                                              \
        for (int first = 0; first < nt; first += width) {                                          \
            T all;                                                                                 \
            if (!name##_tree(m, v, nt, first, width, &all))                                        \
                continue;                                                                          \
            for (int t = first; t < nt && t < first + width; t++)                                  \
                if (m[t])                                                                          \
                    r[t] = all;                                                                    \
        }                                                                                          \
    }

/* SCAN(name, T): the value of place i after k steps is that of place i - 2^(k-1) after k - 1 steps
 * plus its own after k - 1. */
#define SCAN(name, T)                                                                              \
    static T name##_step(const T *x, int i, int k)                                                 \
    {                                                                                              \
        if (k == 0)                                                                                \
            return x[i];                                                                           \
        int before = i - (1 << (k - 1));                                                           \
        T own = name##_step(x, i, k - 1);                                                          \
        return before < 0 ? own : (T)(name##_step(x, before, k - 1) + own);                        \
    }                                                                                              \
    static void name(const mask *m, const T *v, T *r, int nt, bool is_block, bool is_exclusive)    \
    {                                                                                              \
        T totals[32], inclusive = 0;                                                               \
        bool is_first = true;                                                                      \
        for (int warp = 0, warps = 0; warp * 32 < nt; warp++) {                                    \
            T x[32];                                                                               \
            int place[32], n = 0;                                                                  \
            for (int t = warp * 32; t < nt && t < warp * 32 + 32; t++)                             \
                if (m[t])                                                                          \
                    x[n] = v[t], place[n++] = t;                                                   \
            is_first |= !is_block;                                                                 \
            for (int i = 0; i < n; i++) {                                                          \
                T before = inclusive;                                                              \
                inclusive = name##_step(x, i, 5);                                                  \
                if (i == n - 1)                                                                    \
                    totals[warps] = inclusive;                                                     \
                if (is_block && warps > 0)                                                         \
                    inclusive = (T)(name##_step(totals, warps - 1, 5) + inclusive);                \
                r[place[i]] = !is_exclusive ? inclusive : is_first ? 0 : before;                   \
                is_first = false;                                                                  \
            }                                                                                      \
            warps += n > 0;                                                                        \
        }                                                                                          \
    }

enum { MOVE_TO, MOVE_UP, MOVE_DOWN, MOVE_XOR, MOVE_IN_BLOCK };

static inline void move(const mask *m, int nt, int how, size_t size, const void *v,
                        const int32_t *number, void *r)
{
    for (int t = 0; t < nt; t++) {
        if (!m[t])
            continue;
        int width = how == MOVE_IN_BLOCK ? nt : 32;
        int64_t first = t / width * width, lane = t % width, n = number[t];
        int64_t from = how == MOVE_UP     ? lane - n
                       : how == MOVE_DOWN ? lane + n
                       : how == MOVE_XOR  ? (int64_t)((int32_t)lane ^ (int32_t)n)
                                          : n;
        bool is_there = from >= 0 && from < width && first + from < nt && m[first + from];
        memcpy((char *)r + (size_t)t * size,
               (const char *)v + (size_t)(is_there ? first + from : t) * size, size);
    }
}

/* Who of each group says yes: how many, how many are there, and which (of the first 32). */
enum { VOTE_BALLOT, VOTE_ANY, VOTE_ALL, VOTE_COUNT };

static inline void vote(const mask *m, int nt, int width, int what, const bool *p, uint32_t *r)
{
    for (int first = 0; first < nt; first += width) {
        uint32_t yes = 0, there = 0, which = 0;
        for (int i = 0; i < width && first + i < nt; i++)
            if (m[first + i]) {
                there++;
                yes += p[first + i];
                which |= i < 32 ? (uint32_t)p[first + i] << i : 0;
            }
        for (int i = 0; i < width && first + i < nt; i++)
            r[first + i] = what == VOTE_BALLOT ? which
                           : what == VOTE_ANY  ? yes > 0
                           : what == VOTE_ALL  ? yes == there
                                               : yes;
    }
}

/* Each warp's first thread changes the chain; all of the warp get what was in it. */
static inline void in_turn(const mask *m, int nt, const uint32_t *v, uint32_t *chain, uint32_t *r)
{
    for (int first = 0; first < nt; first += 32) {
        const uint32_t left = *chain;
        bool is_first = true;
        for (int t = first; t < first + 32 && t < nt; t++) {
            if (!m[t])
                continue;
            if (is_first)
                *chain = left * 5 + v[t];
            is_first = false;
            r[t] = left;
        }
    }
}
