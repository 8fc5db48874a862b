#include <lanewise/kernel.h>

KERNEL void square(int n, float *out, const float *in)
{
    int i = thread_idx.x;

    /* YOUR TURN: a thread without an element must not touch the arrays. */
    out[i] = in[i] * in[i];
}
