/* read - reads n floats, a multiple of 8, and adds them up, so that nothing is left out: how fast
 * memory gives. Each block has a part of its own in both halves, as of two arrays.
 * ELEMENT float4 suits a GPU; on a CPU a float a lane is faster.
 */
#include <lanewise/kernel.h>

#ifndef ELEMENT
#define ELEMENT float
#define SUM(v) (v)
#else
#define SUM(v) ((v).x + (v).y + (v).z + (v).w)
#endif

KERNEL void read(float *out, const float *x, size_t n)
{
    const size_t half = n * sizeof(float) / sizeof(ELEMENT) / 2;
    const size_t begin = half * block_idx.x / grid_dim.x;
    const size_t end = half * (block_idx.x + 1) / grid_dim.x;
    const ELEMENT *from = (const ELEMENT *)x;
    float sum = 0, other = 0;
    for (size_t i = begin + thread_idx.x; i < end; i += block_dim.x) {
        ELEMENT v = from[i], w = from[i + half];
        sum += SUM(v);
        other += SUM(w);
    }
    if (sum + other == -1) /* never: the numbers are not below 0 */
        out[0] = sum;
}
