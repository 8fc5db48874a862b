/* Eight products, added by a tree in block memory.
 *
 * In the first round the lower half adds what the upper half holds. In the next round half as many
 * threads do the same. The others have nothing to add, but they come to each barrier like all.
 *
 * The barrier at the end of the body keeps two things apart: what a thread wrote in this round, and
 * what another reads in the next. Within a round nothing collides: thread i writes part[i] below
 * half, and reads part[i + half] above it.
 */
#include <lanewise/kernel.h>

KERNEL void dot_product(float *out, const float *a, const float *b)
{
    SHARED float part[8];
    int i = thread_idx.x;
    part[i] = a[i] * b[i];
    barrier();
    for (int half = 4; half > 0; half /= 2) {
        if (i < half)
            part[i] += part[i + half];
        barrier();
    }
    if (i == 0)
        out[0] = part[0];
}
