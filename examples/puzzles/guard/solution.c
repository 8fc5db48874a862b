/* The threads that are too many fail the test and do nothing.
 *
 * They cost nearly nothing: a group of 32 threads takes the same time whether all of them work or
 * some wait. That is why one rounds the number of threads up, and does not look for a block that
 * fits.
 */
#include <lanewise/kernel.h>

KERNEL void square(int n, float *out, const float *in)
{
    int i = thread_idx.x;
    if (i < n)
        out[i] = in[i] * in[i];
}
