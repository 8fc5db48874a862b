// One or minus zero, and minus one or minus zero: the driver's assembler (of CUDA 13.0 and 13.5)
// makes a comparison's number of them, which is plus zero.
// sizes: 1 7 32 33
// run: -b @B i32[1] f32[64]=iota
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

static bool is_minus_zero(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits == 0x80000000;
}

SHARED volatile float kept[64];

KERNEL void choose(int *wrong, const float *a)
{
    int t = thread_idx.x;
    float x = a[t];
    kept[t] = x == 3 ? 1.0f : -0.0f;
    int bad = t == 3 ? kept[t] != 1 : !is_minus_zero(kept[t]);
    kept[t] = x < 4 ? -0.0f : 1.0f;
    bad += t < 4 ? !is_minus_zero(kept[t]) : kept[t] != 1;
    kept[t] = x > 2 ? -1.0f : -0.0f;
    bad += t > 2 ? kept[t] != -1 : !is_minus_zero(kept[t]);
    kept[t] = t > 5 ? -0.0f : -1.0f;
    bad += t > 5 ? !is_minus_zero(kept[t]) : kept[t] != -1;
    kept[t] = -(x == 6 ? -1.0f : 0.0f);
    bad += t == 6 ? kept[t] != 1 : !is_minus_zero(kept[t]);
    atomic_add(wrong, bad);
}
