/* The sum of the flags before it is an element's place.
 *
 * No two threads get the same place, since between two that keep there is a step of one. The
 * element is read once, into a variable. For more than a block the blocks' counts are scanned in
 * the same way, and each block begins where the ones before it end.
 */
#include <lanewise/kernel.h>

KERNEL void keep_positive(float *kept, int *count, const float *in)
{
    int t = thread_idx.x;
    float v = in[t];
    int keep = v > 0;
    int place = block_exclusive_sum(keep);
    if (keep)
        kept[place] = v;
    if (t == block_dim.x - 1)
        count[0] = place + keep;
}
