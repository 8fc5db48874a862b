/* softmax - of each row of a (rows,cols), a block a row:
 *     out[r][c] = exp(a[r][c] - max of row r) / sum of these over the row
 */
#include <lanewise/kernel.h>

KERNEL void softmax(int rows, int cols, float out[rows][cols], const float a[rows][cols])
{
    int first = thread_idx.y * block_dim.x + thread_idx.x, threads = block_dim.x * block_dim.y;
    const float *x = a[block_idx.x];
    float *y = out[block_idx.x];
    float top = -INFINITY;
    for (int c = first; c < cols; c += threads)
        top = fmax(top, x[c]);
    top = block_max(top);

    float sum = 0;
    for (int c = first; c < cols; c += threads) {
        float e = exp(x[c] - top);
        y[c] = e;
        sum += e;
    }
    float factor = 1 / block_sum(sum);
    for (int c = first; c < cols; c += threads)
        y[c] *= factor;
}
