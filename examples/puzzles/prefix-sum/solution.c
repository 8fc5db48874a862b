/* Read, wait, write, wait.
 *
 * The first barrier of a round is for the neighbour that still has to read this thread's old
 * value. The second is for those who read the new one in the next round. With two arrays that take
 * turns one of them could go, as in the puzzle about steps in time.
 *
 * This scan (Hillis and Steele, 1986) adds more often than a loop would: about n log n times. But
 * it takes only log n rounds, and threads are what a GPU has.
 */
#include <lanewise/kernel.h>

KERNEL void running_sum(int *out, const int *in)
{
    SHARED int sum[1024];
    int i = thread_idx.x;
    sum[i] = in[i];
    barrier();

    for (int d = 1; d < block_dim.x; d *= 2) {
        int left = i >= d ? sum[i - d] : 0;
        barrier();
        sum[i] += left;
        barrier();
    }

    out[i] = sum[i];
}
