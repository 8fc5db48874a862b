// block_sum/max/min/prod: the tree over the lanes, then the same tree over the warps; every thread
// gets the result, also when some have returned before.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED float inputs[1024];
SHARED int member[1024];

enum { SUM, MAX, MIN, PROD };

static float combine(int op, float a, float b)
{
    switch (op) {
    case SUM: return a + b;
    case MAX: return a > b ? a : b;
    case MIN: return a < b ? a : b;
    default: return a * b;
    }
}

/* The tree over x[0..31], of which here[] are present, into x[0]; returns whether any was. */
static bool tree(int op, float *x, bool *here)
{
    for (int distance = 1; distance < 32; distance *= 2)
        for (int l = 0; l < 32; l += 2 * distance) {
            int r = l + distance;
            if (here[l] && here[r])
                x[l] = combine(op, x[l], x[r]);
            else if (here[r])
                x[l] = x[r];
            here[l] |= here[r];
        }
    return here[0];
}

static float expected(int op, int threads)
{
    float x[32], totals[32];
    bool here[32], warps[32];
    for (int w = 0; w < 32; w++) {
        for (int l = 0; l < 32; l++) {
            int i = w * 32 + l;
            here[l] = i < threads && member[i];
            x[l] = here[l] ? inputs[i] : 0;
        }
        warps[w] = tree(op, x, here);
        totals[w] = x[0];
    }
    tree(op, totals, warps);
    return totals[0];
}

static void check(float v, int threads)
{
    assert(block_sum(v) == expected(SUM, threads));
    assert(block_max(v) == expected(MAX, threads));
    assert(block_min(v) == expected(MIN, threads));
    float small = 1 + v * 1e-4f;
    barrier();
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    inputs[me] = small;
    barrier();
    assert(block_prod(small) == expected(PROD, threads));
    barrier();
    inputs[me] = v;
    barrier();
}

KERNEL void reduce(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    float v = (me * 37 % 101 - 50) * 0.1f;
    inputs[me] = v;
    member[me] = 1;
    barrier();
    check(v, threads);

    atomic_add(checked, 1);
    barrier();
    member[me] = me % 3 != 0 && me / 32 != 2;
    barrier();
    if (!member[me])
        return;
    check(v, threads);
}
