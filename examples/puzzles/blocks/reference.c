#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, const float *in)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] < 0 ? 0 : in[i] > 1 ? 1 : in[i];
}
