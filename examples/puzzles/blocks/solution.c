/* The threads of all earlier blocks come first, then those of this block.
 *
 * The number is needed so often that it has a name, global_idx.x. It is a size_t, for a grid may
 * have more threads than an int can count. Blocks run in any order and on any processor. So a
 * kernel must not rely on what another block has done.
 */
#include <lanewise/kernel.h>

KERNEL void clamp_to_unit(int n, float *out, const float *in)
{
    int i = block_idx.x * block_dim.x + thread_idx.x;
    if (i < n)
        out[i] = min(max(in[i], 0.0f), 1.0f);
}
