// Elements side by side that each lane reads at a place of its own: all lanes of a piece run it or
// some, the places are data or a constant apart, the elements come in any order, before
// a store or after it.
// sizes: 1 4 31 32 33 64 8x8x4
// run: -b @B --quiet f32[5000]=iota f64[5000]=iota i16[5000]=iota i32[256]=rand:3
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

static void of_floats(const float *x, size_t at)
{
    float v[16];
    for (int i = 15; i >= 0; i--)
        v[i] = x[at + (size_t)i];
    for (int i = 0; i < 16; i++)
        assert(v[i] == (float)at + (float)i);
    assert(x[at] + x[at + 1] + x[at + 2] + x[at + 4] == 4 * (float)at + 7);
}

KERNEL void apart(const float *f, const double *d, const int16_t *s, const int *numbers)
{
    SHARED float rows[256][9];
    const int t = ME;
    const size_t at = (size_t)((unsigned)numbers[t] % 4000);

    of_floats(f, at);
    of_floats(f, (size_t)t * 17);
    if (at % 3)
        of_floats(f, at + 5);
    for (size_t k = 0; k < 64; k += 8) {
        const double *from = d + at + k;
        const int16_t *half = s + at + k;
        double sum = 0;
        int all = 0;
        for (int i = 0; i < 8; i++) {
            sum += from[i];
            all += half[i];
        }
        assert(sum == 8 * (double)(at + k) + 28 && all == 8 * (int)(at + k) + 28);
    }
    for (int i = 0; i < 9; i++)
        rows[t][i] = f[at + (size_t)i];
    barrier();
    const float *row = rows[t];
    float before = row[0] + row[1];
    rows[t][1] = -1;
    assert(before == 2 * (float)at + 1 && row[1] == -1 && row[2] + row[3] == 2 * (float)at + 5);
}
