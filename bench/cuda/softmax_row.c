/* softmax_row - out = exp(a - max) / sum over each row of COLS elements. A warp has a row in
 * registers, four neighbours a lane and access, so memory is read and written once.
 */
#include <lanewise/kernel.h>

#ifndef COLS
#define COLS 1024
#endif
enum { EACH = COLS / 4 / WARP_SIZE };

KERNEL void softmax_row(int rows, float4 *out, const float4 *a)
{
    size_t row = global_idx.x / WARP_SIZE, first = row * (COLS / 4) + (size_t)lane_id();
    float4 x[EACH];
    float most = -INFINITY, sum = 0;
    if (row >= (size_t)rows)
        return;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        x[k] = a[first + (size_t)k * WARP_SIZE];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        most = fmax(most, fmax(fmax(x[k].x, x[k].y), fmax(x[k].z, x[k].w)));
    most = warp_max(most);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        x[k] = (float4){exp(x[k].x - most), exp(x[k].y - most), exp(x[k].z - most),
                        exp(x[k].w - most)};
        sum += (x[k].x + x[k].y) + (x[k].z + x[k].w);
    }
    float scale = 1 / warp_sum(sum);
#pragma unroll
    for (int k = 0; k < EACH; k++)
        out[first + (size_t)k * WARP_SIZE] = x[k] * scale;
}
