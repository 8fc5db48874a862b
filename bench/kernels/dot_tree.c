/* dot_tree - the same with one element a thread and a tree of sums in block memory, as it is taught
 * first.
 */
#include <lanewise/kernel.h>

KERNEL BLOCK(256) void dot_tree(float *out, const float *a, const float *b, int n)
{
    SHARED float part[256];
    int t = thread_idx.x;
    size_t i = global_idx.x;
    part[t] = i < (size_t)n ? a[i] * b[i] : 0;
    barrier();
    for (int half = block_dim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        barrier();
    }
    if (t == 0)
        out[block_idx.x] = part[0];
}
