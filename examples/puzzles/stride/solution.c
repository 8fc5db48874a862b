/* A thread goes on by the number of all threads.
 *
 * In each round the threads of a warp touch 32 elements in a row, which are 4 sectors. The loop is
 * its own guard: a thread whose number is n or more does not enter it. With as many threads as
 * elements it runs once, so nothing is lost.
 */
#include <lanewise/kernel.h>

KERNEL void halve(int n, float *x)
{
    size_t stride = (size_t)grid_dim.x * block_dim.x;
    for (size_t i = global_idx.x; i < (size_t)n; i += stride)
        x[i] /= 2;
}
