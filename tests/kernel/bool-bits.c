// A bool in memory that is neither 0 nor 1: its lowest bit counts, and an index made of it is
// within a table of two.
// run: -b 4 -k table i32[4] u8[4]=0,1,200,255
// expect: out: i32[4] = [5, 6, 5, 6]
// run: -b 4 -k near i32[4] u8[4]=0,1,200,255
// expect: out: i32[4] = [7, 8, 7, 8]
// run: -b 4 -k own i32[4] u8[4]=0,1,200,255 9
// expect: out: i32[4] = [10, 11, 10, 11]
// run: -b 4 -k writes i32[2] u8[4]=200,254,2,100
// expect: out: i32[2] = [4, 0]
// run: -b 4 -k sums i32[1] u8[4]=0,1,200,255
// expect: out: i32[1] = [2]
#include <lanewise/kernel.h>

static const int two[2] = {5, 6};

static bool flag(const uint8_t *x)
{
    return ((const bool *)x)[thread_idx.x];
}

KERNEL void table(int *out, const uint8_t *x) { out[thread_idx.x] = two[flag(x)]; }
KERNEL void near(int *out, const uint8_t *x)
{
    SHARED int both[2];
    if (thread_idx.x < 2)
        both[thread_idx.x] = 7 + thread_idx.x;
    barrier();
    out[thread_idx.x] = both[flag(x)];
}
KERNEL void own(int *out, const uint8_t *x, int n)
{
    int both[2] = {n, n};
    both[flag(x)] += 1 + flag(x);
    out[thread_idx.x] = both[flag(x)];
}
KERNEL void writes(int *out, const uint8_t *x) { atomic_add(&out[flag(x)], 1); }
KERNEL void sums(int *out, const uint8_t *x) { atomic_add(out, flag(x)); }
