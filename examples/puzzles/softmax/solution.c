/* Three passes, with a reduction behind the first two.
 *
 * A thread without an element brings -INFINITY to the maximum and 0 to the sum: the values that
 * change nothing. Both reductions give their result to all threads, so the third pass needs no
 * barrier and no broadcast. A kernel may also read the row once, and correct its sum whenever a
 * larger number comes; attention over long texts is computed so.
 */
#include <lanewise/kernel.h>

KERNEL void softmax(int rows, int cols, float out[rows][cols], const float in[rows][cols])
{
    int r = block_idx.x;

    float m = -INFINITY;
    for (int c = thread_idx.x; c < cols; c += block_dim.x)
        m = max(m, in[r][c]);
    m = block_max(m);

    float sum = 0;
    for (int c = thread_idx.x; c < cols; c += block_dim.x)
        sum += exp(in[r][c] - m);
    sum = block_sum(sum);

    for (int c = thread_idx.x; c < cols; c += block_dim.x)
        out[r][c] = exp(in[r][c] - m) / sum;
}
