#include <lanewise/kernel.h>

#define BINS 8

KERNEL void histogram(int *counts, int *order, const float *values)
{
    int i = thread_idx.x;
    int bin = (int)(values[i] * BINS);
    int begin = 0; /* where this bin begins in order[] */

    for (int b = 0; b < BINS; b++) {
        int mine = bin == b;

        int place = 0; /* YOUR TURN: how many threads before this one are in bin b? */
        int count = 0; /* YOUR TURN: and how many in all? */

        if (mine)
            order[begin + place] = i;
        if (i == 0)
            counts[b] = count;
        begin += count;
    }
}
