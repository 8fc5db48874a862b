/* A thread for each element, a loop over k.
 *
 * There is no barrier in this kernel, so a thread without an element may return at once. Lanes of
 * a warp that are neighbours in x read the same a[r][k] and neighbouring b[k][c]: that is fine.
 * But every row of a is read once for each column, and each column of b once for each row.
 */
#include <lanewise/kernel.h>

KERNEL void matmul(int rows, int cols, int inner, float out[rows][cols], const float a[rows][inner],
                   const float b[inner][cols])
{
    int c = global_idx.x, r = global_idx.y;
    if (r >= rows || c >= cols)
        return;
    float sum = 0;
    for (int k = 0; k < inner; k++)
        sum += a[r][k] * b[k][c];
    out[r][c] = sum;
}
