// The negative of a bool is -1 or 0, as an integer and as a float.
// sizes: 1 32 64
// run: -b @B i32[1] bool[64] i32[64]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void minus_bool(int *wrong, const bool *falses, const int *zeros)
{
    int t = thread_idx.x, bad = 0;
    bool odd = (t & 1) + zeros[t], either = falses[t] || odd;
    switch (zeros[t]) {
    case 1: either = false; break;
    case 2: odd = either; break;
    }
    int expected = t % 2 ? -1 : 0;
    bad += (float)(0 - odd) != expected;
    bad += (double)(0 - either) != expected;
    __bf16 brain = (zeros[t] >> 1) - either;
    _Float16 half = 0 - odd;
    bad += brain != expected || half != expected;
    if (bad)
        atomic_add(wrong, 1);
}
