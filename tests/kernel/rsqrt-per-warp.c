// rsqrt of what all lanes of a warp share, rare or not, is that of its own argument; so is one that
// only some iterations of a loop want, whose argument stays the same.
// run: -b 128 6 f32[4]
// expect: checked: f32[4] = [1.0, 1.0, 1.0, 1.0]
// run: -b 8,8,2 0 f32[4]
// expect: checked: f32[4] = [1.0, 1.0, 1.0, 1.0]
#include <lanewise/kernel.h>

static unsigned bits(float x)
{
    return __builtin_bit_cast(unsigned, x);
}

/* The same for all threads, so that one value is computed. */
static float of_warp(int w, int n)
{
    float mine = 0;
    for (int k = 0; k < 4; k++) {
        float r = rsqrt((float)(k * n));
        mine = k == w ? r : mine;
    }
    return mine;
}

KERNEL void per_warp(int n, float *checked)
{
    int w = warp_id();
    float x = (float)(w * n), want = of_warp(w, n), y = x + lane_id() * 0.0f;
    float got = rsqrt(x), near = rsqrt(x + 1), sum = 0;
    assert(bits(got) == bits(want));
    for (int k = 0; k < n; k++) {
        sum += near;
        if (k > 3)
            sum = rsqrt(y);
    }
    assert(n <= 4 || bits(sum) == bits(want));
    if (lane_id() == 0)
        checked[w] = bits(got) == bits(want);
}
