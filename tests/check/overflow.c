/* Arithmetic whose result its type does not hold. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#include <limits.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define IF_GOOD(good, bad) bad
#else
#define IF_GOOD(good, bad) good
#endif

// run: -k sum -b 4 i32[4]
// run: -k sum -b 4 -D BAD i32[4]
// finds: overflow @a1
KERNEL void sum(int *out)
{
    out[ME] = INT_MAX - IF_GOOD(3, 2) + ME; /* @a1 */
}

// run: -k difference -b 2 i64[2]
// run: -k difference -b 2 -D BAD i64[2]
// finds: overflow @d1
KERNEL void difference(int64_t *out)
{
    int64_t least = INT64_MIN + IF_GOOD(1, 0);
    out[ME] = least - ME; /* @d1 */
}

// run: -k product -b 64 -g 2 i32[128] 34603008
// run: -k product -b 64 -g 2 -D BAD i32[128] 34603008
// finds: overflow @p1
KERNEL void product(int *out, int stride)
{
    out[global_idx.x] = IF_GOOD((int)((int64_t)ME * stride), ME * stride); /* @p1 */
}

// run: -k negate -b 1 i32[1] -2147483647
// run: -k negate -b 1 -D BAD i32[1] -2147483648
// finds: overflow @n1
KERNEL void negate(int *out, int x)
{
    out[0] = -x; /* @n1 */
}

// run: -k quotient -b 3 i32[3] 1
// run: -k quotient -b 3 -D BAD i32[3] 0
// finds: overflow @q1
KERNEL void quotient(int *out, int first)
{
    out[ME] = 7 / (first + ME); /* @q1 */
}

// run: -k rest -b 1 i32[1] -2147483647
// run: -k rest -b 1 -D BAD i32[1] -2147483648
// finds: overflow @r1
KERNEL void rest(int *out, int x)
{
    out[0] = x % (thread_idx.x - 1); /* @r1 */
}

// run: -k unsigned_rest -b 1 u64[1] 1
// run: -k unsigned_rest -b 1 -D BAD u64[1] 0
// finds: overflow @u1
KERNEL void unsigned_rest(uint64_t *out, uint64_t by)
{
    out[0] = 7 % by; /* @u1 */
}

// run: -k shift -b 32 u32[32]
// run: -k shift -b 33 -D BAD u32[33]
// finds: overflow @s1
KERNEL void shift(uint32_t *out)
{
    out[ME] = 1u << ME; /* @s1 */
}

// run: -k negative_shift -b 1 i64[1] 0
// run: -k negative_shift -b 1 -D BAD i64[1] -1
// finds: overflow @ns1
KERNEL void negative_shift(int64_t *out, int by)
{
    out[0] = 1L >> by; /* @ns1 */
}

// run: -k whole -b 1 i32[1] 2147483000.0
// run: -k whole -b 1 -D BAD i32[1] 3e9
// finds: overflow @w1
KERNEL void whole(int *out, double x)
{
    out[0] = (int)x; /* @w1 */
}

// run: -k byte -b 1 u8[1] 255.9
// run: -k byte -b 1 -D BAD u8[1] -1
// finds: overflow @b1
KERNEL void byte(uint8_t *out, float x)
{
    out[0] = x; /* @b1 */
}

/* In a helper and a loop, once for its place. */
static int total(const int *x, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += x[i]; /* @h1 */
    return all;
}

// run: -k helper -b 2 i32[2] i32[9]=const:238609294
// run: -k helper -b 2 -D BAD i32[2] i32[9]=const:238609295
// finds: overflow @h1
KERNEL void helper(int *out, const int *x)
{
    out[ME] = total(x, 9);
}

/* A size that is computed, unsigned arithmetic, small types that are promoted. */
// run: -k fine -b 6 2 3 i32[6] u8[6]=const:255
KERNEL void fine(int rows, int cols, int out[rows * cols], uint8_t *y)
{
    uint32_t hash = 0xffffffffu * (uint32_t)ME + 0xffffffffu;
    int16_t small = (int16_t)(32767 + ME);
    y[ME] += 7;
    out[ME] = (int)(hash >> 31) + small;
}

// run: -k zeros -b 2 i32[2] u32[2]=1,8
// run: -k zeros -b 2 i32[2] u32[2]=1,0
// finds: overflow @ct
// finds: overflow @cl
KERNEL void zeros(int *out, const unsigned *x)
{
    out[ME] = __builtin_ctz(x[ME]);                                 /* @ct */
    out[ME] += __builtin_clzll(x[ME]);                              /* @cl */
    out[ME] += clz(x[ME]) + ctz(x[ME]) + __builtin_ffs((int)x[ME]); /* of 0 they have a value */
}
