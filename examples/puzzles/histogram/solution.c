/* Where a thread writes is how many before it write too.
 *
 * The two calls are all that the threads have to tell each other. They run eight times, once for
 * each bin, and every thread takes part each time: most of them with a 0. A thread writes in the
 * one iteration that is of its own bin. Two threads never get the same place, since the number of
 * ones before them differs.
 */
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
