#include <lanewise/kernel.h>

KERNEL void scale_and_add(float *out, float s, const float *x, const float *y)
{
    /* YOUR TURN: this thread's element of out. */
}
