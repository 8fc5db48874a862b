// warp_sum/max/min/prod of every type: the fixed tree over the lanes that take part, in every lane.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED double inputs[1024];

/* Values that make a sum's bits depend on the order, and an integer's sum wrap. */
static double value_of(int me)
{
    return (me * 37 % 101 - 50) * (1 + (me % 7) * 1e-3);
}

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))

/* The tree over the lanes of me's warp whose number has no common bit with `skip`, in type W. */
#define TREE(T, W, op)                                                                             \
    W group[32];                                                                                   \
    bool here[32];                                                                                 \
    int first = me / 32 * 32;                                                                      \
    for (int l = 0; l < 32; l++) {                                                                 \
        here[l] = first + l < threads && (l & skip) == 0;                                          \
        group[l] = here[l] ? (W)(T)inputs[first + l] : (W)0;                                       \
    }                                                                                              \
    for (int distance = 1; distance < 32; distance *= 2)                                           \
        for (int l = 0; l < 32; l += 2 * distance) {                                               \
            int r = l + distance;                                                                  \
            if (here[l] && here[r])                                                                \
                group[l] = (W)op(group[l], group[r]);                                              \
            else if (here[r])                                                                      \
                group[l] = group[r];                                                               \
            here[l] |= here[r];                                                                    \
        }

#define CHECK(T, W, R, call, op)                                                                   \
    {                                                                                              \
        int skip = 0;                                                                              \
        TREE(T, W, op)                                                                             \
        assert(_Generic(call((T)v), R: 1, default: 0));                                            \
        assert(call((T)v) == (R)group[0]);                                                         \
    }                                                                                              \
    {                                                                                              \
        int skip = 5;                                                                              \
        TREE(T, W, op)                                                                             \
        if ((me & skip) == 0)                                                                      \
            assert(call((T)v) == (R)group[0]);                                                     \
    }

/* T the value's type, W the type it is combined in, R the result's */
#define ROW(T, W, R)                                                                               \
    CHECK(T, W, R, warp_sum, SUM)                                                                  \
    CHECK(T, W, R, warp_max, MAX)                                                                  \
    CHECK(T, W, R, warp_min, MIN)                                                                  \
    CHECK(T, W, R, warp_prod, PROD)

KERNEL void reduce(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    double v = value_of(me);
    inputs[me] = v;
    barrier();
    ROW(float, float, float)
    ROW(double, double, double)
    ROW(_Float16, float, _Float16)
    ROW(__bf16, float, __bf16)
    ROW(int, int, int)
    ROW(long, long, long)
    ROW(long long, long long, long long)
    ROW(signed char, int, int)
    ROW(short, int, int)
    atomic_add(checked, 1);
}
