/* Helpers that call the one below twice, and whose calls are joined: a parameter has its value at
 * each call. Each kernel is right without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define SET(x, v)
#else
#define SET(x, v) ((x) = (v))
#endif

static int f0(int x)
{
    while (x > 1000) /* @loop */
        x = x / 3 + (x & 1);
    return x;
}
static int s0(int x) { return f0(x) + warp_sum(1); }
#define LEVEL(k, below)                                                                            \
    static int f##k(int x) { return f##below(x) ^ f##below(x + k); }                               \
    static int s##k(int x) { return s##below(x) ^ s##below(x + k); }
LEVEL(1, 0) LEVEL(2, 1) LEVEL(3, 2) LEVEL(4, 3) LEVEL(5, 4) LEVEL(6, 5) LEVEL(7, 6) LEVEL(8, 7)
LEVEL(9, 8) LEVEL(10, 9)

// run: -k without -b 4 i32[4]
// run: -k without -b 4 -D BAD i32[4]
// finds: uninitialised @loop @w1
// finds: uninitialised @w2 @w1
KERNEL void without(int *out)
{
    int v; /* @w1 */
    SET(v, ME);
    out[ME] = f10(v); /* @w2 */
}

// run: -k with -b 4 i32[4]
// run: -k with -b 4 -D BAD i32[4]
// finds: uninitialised @loop @s1
// finds: uninitialised @s2 @s1
KERNEL void with(int *out)
{
    int v; /* @s1 */
    SET(v, ME);
    out[ME] = s10(v); /* @s2 */
}
