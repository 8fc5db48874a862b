#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, const float *in)
{
    for (int i = 0; i < n; i++)
        out[i] = (double)in[i] * in[i];
}
