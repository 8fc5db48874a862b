#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, const float *in)
{
    for (int i = 0; i < n; i++)
        out[i] = i + 1 < n ? (double)in[i + 1] - in[i] : 0;
}
