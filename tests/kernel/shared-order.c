// Variables of block memory of several alignments that are never read: code with checks and code
// without have room for all, whichever they use first.
// run: -b 1 -k unread i32[1] i32[1]=const:1
// expect: out: i32[1] = [7]
#include <lanewise/kernel.h>

KERNEL void unread(int *out, const int *at)
{
    SHARED int16_t large[60];
    SHARED int16_t small[1];
    int16_t own[2];
    const int me = thread_idx.x;
    for (int i = me; i < 60; i += 1)
        large[i] = (int16_t)(i % 50);
    for (int i = me; i < 1; i += 1)
        small[i] = (int16_t)(i % 50);
    *(int16_t *)((size_t)own + (size_t)at[me] * 2) = 63;
    if (me % 3 != 1)
        out[me] = 7;
}
