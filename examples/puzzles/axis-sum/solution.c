/* Each thread adds up its part alone, then the block adds the parts.
 *
 * The loop does most of the work and needs no barrier. The reduction costs a few rounds, however
 * long the row is. In each round of the loop a warp reads 32 elements in a row.
 */
#include <lanewise/kernel.h>

KERNEL void row_sums(int rows, int cols, float out[rows], const float in[rows][cols])
{
    int r = block_idx.x;
    float sum = 0;
    for (int c = thread_idx.x; c < cols; c += block_dim.x)
        sum += in[r][c];
    sum = block_sum(sum);
    if (thread_idx.x == 0)
        out[r] = sum;
}
