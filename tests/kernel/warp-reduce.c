// warp_sum/max/min/prod of every type: the fixed tree over the lanes that take part, in every lane.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// expect: checked: i32[1] = [@N]
// run: -D T=float -D W=float -D R=float -b @B i32[1]
// run: -D T=double -D W=double -D R=double -b @B i32[1]
// run: -D T=_Float16 -D W=float -D R=_Float16 -b @B i32[1]
// run: -D T=__bf16 -D W=float -D R=__bf16 -b @B i32[1]
// run: -D T=int -D W=int -D R=int -b @B i32[1]
// run: -D T=long -D W=long -D R=long -b @B i32[1]
// run: -D T="long long" -D W="long long" -D R="long long" -b @B i32[1]
// run: -D T=int8_t -D W=int -D R=int -b @B i32[1]
// run: -D T=short -D W=int -D R=int -b @B i32[1]
#include <lanewise/kernel.h>

SHARED double inputs[1024];
SHARED R results[1024];

/* Values that make a sum's bits depend on the order, and an integer's sum wrap. */
static double value_of(int me)
{
    return (me * 37 % 101 - 50) * (1 + (me % 7) * 1e-3);
}

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))

/* In one thread: what the lanes of each warp got whose number has no common bit with `skip`,
 * against the tree over their values in type W. */
#define COMPARE(op, skip)                                                                          \
    for (int first = 0; first < threads; first += 32) {                                            \
        W group[32];                                                                               \
        bool here[32];                                                                             \
        for (int l = 0; l < 32; l++) {                                                             \
            here[l] = first + l < threads && (l & skip) == 0;                                      \
            group[l] = here[l] ? (W)(T)inputs[first + l] : (W)0;                                   \
        }                                                                                          \
        for (int distance = 1; distance < 32; distance *= 2)                                       \
            for (int l = 0; l < 32; l += 2 * distance) {                                           \
                int r = l + distance;                                                              \
                if (here[l] && here[r])                                                            \
                    group[l] = (W)op(group[l], group[r]);                                          \
                else if (here[r])                                                                  \
                    group[l] = group[r];                                                           \
                here[l] |= here[r];                                                                \
            }                                                                                      \
        for (int l = 0; l < 32; l++)                                                               \
            if (first + l < threads && (l & skip) == 0)                                            \
                assert(results[first + l] == (R)group[0]);                                         \
    }

#define CHECK(call, op, skip)                                                                      \
    assert(_Generic(call((T)v), R: 1, default: 0));                                                \
    if ((me & skip) == 0)                                                                          \
        results[me] = call((T)v);                                                                  \
    barrier();                                                                                     \
    if (me == 0)                                                                                   \
        COMPARE(op, skip)                                                                          \
    barrier();

/* T is the value's type, W the type it is combined in, R the result's. */
KERNEL void reduce(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    double v = value_of(me);
    inputs[me] = v;
    barrier();
    CHECK(warp_sum, SUM, 0)
    CHECK(warp_sum, SUM, 5)
    CHECK(warp_max, MAX, 0)
    CHECK(warp_max, MAX, 5)
    CHECK(warp_min, MIN, 0)
    CHECK(warp_min, MIN, 5)
    CHECK(warp_prod, PROD, 0) // lanewise-allow: overflow
    CHECK(warp_prod, PROD, 5) // lanewise-allow: overflow
    atomic_add(checked, 1);
}
