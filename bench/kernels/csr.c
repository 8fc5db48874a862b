/* csr - out = matrix times x, a warp a row. Row r of the sparse matrix has the values a[i] in the
 * columns b[i] for i from start[r] up to start[r + 1].
 */
#include <lanewise/kernel.h>

enum { THREADS = 256 };

KERNEL BLOCK(THREADS) void csr(int rows, float out[rows], const float *a, const uint32_t *b,
                               const float *x, const uint32_t start[rows + 1])
{
    int row = block_idx.x * (THREADS / WARP_SIZE) + warp_id();
    if (row >= rows)
        return;
    size_t first = start[row], end = start[row + 1];
    float sum = 0;
    for (size_t i = first + lane_id(); i < end; i += WARP_SIZE)
        sum = fma(a[i], x[b[i]], sum);
    sum = warp_sum(sum);
    if (lane_id() == 0)
        out[row] = sum;
}
