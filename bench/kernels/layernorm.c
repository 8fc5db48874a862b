/* layernorm - each row of a (rows,cols) with mean 0 and variance 1, a block a row:
 *     out[r][c] = (a[r][c] - mean of row r) / sqrt(variance of row r + epsilon)
 * source   Ba, Kiros and Hinton, "Layer Normalization", arXiv:1607.06450
 */
#include <lanewise/kernel.h>

static const float epsilon = 1e-5f;

KERNEL BLOCK(256) void layernorm(int rows, int cols, float out[rows][cols],
                                 const float a[rows][cols])
{
    const float *x = a[block_idx.x];
    float *y = out[block_idx.x];
    float sum = 0;
    for (int c = thread_idx.x; c < cols; c += block_dim.x)
        sum += x[c];
    float mean = block_sum(sum) / cols;

    float squares = 0;
    for (int c = thread_idx.x; c < cols; c += block_dim.x) {
        float apart = x[c] - mean;
        squares = fma(apart, apart, squares);
    }
    float factor = rsqrt(block_sum(squares) / cols + epsilon);
    for (int c = thread_idx.x; c < cols; c += block_dim.x)
        y[c] = (x[c] - mean) * factor;
}
