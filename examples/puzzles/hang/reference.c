#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, const float *in)
{
    out[0] = in[0];
    for (int i = 1; i < n; i++)
        if (in[i] > out[0])
            out[0] = in[i];
}
