/* copy - n floats, as the compiler stores them: how fast memory gives and takes.
 * Each block has a part of its own. ELEMENT float4 suits a GPU; on a CPU a float a lane is faster.
 */
#include <lanewise/kernel.h>

#ifndef ELEMENT
#define ELEMENT float
#endif

KERNEL void copy(float *out, const float *x, size_t n)
{
    const size_t count = n * sizeof(float) / sizeof(ELEMENT);
    const size_t begin = count * block_idx.x / grid_dim.x;
    const size_t end = count * (block_idx.x + 1) / grid_dim.x;
    const ELEMENT *from = (const ELEMENT *)x;
    ELEMENT *to = (ELEMENT *)out;
    for (size_t i = begin + thread_idx.x; i < end; i += block_dim.x)
        to[i] = from[i];
}
