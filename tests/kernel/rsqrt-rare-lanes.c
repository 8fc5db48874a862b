// rsqrt of what is rare, such as zeros, subnormal and negative numbers, in some lanes or all: each
// thread gets the result of its own argument, whoever is beside it, and also where threads part.
// sizes: 1 3 17 32 100 256 8x8x4
// run: -b @B 0 i32[1]
// expect: checked: i32[1] = [@N]
// run: -b @B 1 i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

static int me(void)
{
    return (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
}

static unsigned bits(float x)
{
    return __builtin_bit_cast(unsigned, x);
}

/* Of thread t; with all, only rare ones. */
static float argument(int t, int all)
{
    switch (t % (all ? 8 : 24)) {
    case 0: return 0;
    case 1: return -0.0f;
    case 2: return 0x1p-149f * (t + 1);
    case 3: return 0x1.fffffep-126f;
    case 4: return __builtin_inff();
    case 5: return -1 - t;
    case 6: return __builtin_nanf("");
    case 7: return 0x1.8p-126f;
    default: return 0.37f * t;
    }
}

/* The same for all threads, so that one value is computed. */
static float one_by_one(int t, int threads, int all)
{
    float mine = 0;
    for (int k = 0; k < threads; k++) {
        float r = rsqrt(argument(k, all));
        mine = k == t ? r : mine;
    }
    return mine;
}

KERNEL void rare(int all, int *checked)
{
    int t = me(), threads = block_dim.x * block_dim.y * block_dim.z;
    float x = argument(t, all), want = one_by_one(t, threads, all), got = rsqrt(x);
    assert(bits(got) == bits(want) || (got != got && want != want));
    assert(x != 0 || bits(got) == (bits(x) | 0x7f800000));
    assert(x != __builtin_inff() || bits(got) == 0);
    assert(!(x < 0) || got != got);
    float one = got * (got * x);
    assert(!(x > 0 && x < 0x1p-125f) || (one > 0.999999f && one < 1.000001f));
    if (t % 3 == 0) {
        float again = rsqrt(x + 0.0f * t);
        assert(x == 0 || bits(again) == bits(want) || (again != again && want != want));
    }
    int n = block_sum(1);
    if (t == 0)
        *checked = n;
}
