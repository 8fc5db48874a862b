// run: -b 128 i32[8] i32[128] @values.npy
/* Solution of puzzle 5: where a thread writes is how many before it write too. */
#include <lanewise/kernel.h>

#define BINS 8

KERNEL void histogram(int *counts, int *order, const float *values)
{
    int i = thread_idx.x;
    int bin = (int)(values[i] * BINS);
    int begin = 0; /* where this bin begins in order[] */

    for (int b = 0; b < BINS; b++) {
        int mine = bin == b;
        int place = block_exclusive_sum(mine);
        int count = block_sum(mine);
        if (mine)
            order[begin + place] = i;
        if (i == 0)
            counts[b] = count;
        begin += count;
    }
}
