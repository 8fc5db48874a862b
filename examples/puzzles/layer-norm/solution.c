/* The mean first, then the squares of what differs from it.
 *
 * The differences are small numbers, so their squares keep all their digits. It takes one more
 * pass over the row, which by then lies in a cache. Both sums come back to all threads, so nothing
 * is broadcast.
 */
#include <lanewise/kernel.h>

KERNEL void layer_norm(int rows, int cols, float out[rows][cols], const float in[rows][cols],
                       const float gain[cols], const float shift[cols])
{
    int r = block_idx.x;

    float sum = 0;
    for (int c = thread_idx.x; c < cols; c += block_dim.x)
        sum += in[r][c];
    float mean = block_sum(sum) / cols;

    float squares = 0;
    for (int c = thread_idx.x; c < cols; c += block_dim.x)
        squares += (in[r][c] - mean) * (in[r][c] - mean);
    float var = block_sum(squares) / cols;

    for (int c = thread_idx.x; c < cols; c += block_dim.x)
        out[r][c] = (in[r][c] - mean) * rsqrt(var + 1e-5f) * gain[c] + shift[c];
}
