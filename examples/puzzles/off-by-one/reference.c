#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, const float *in)
{
    for (int i = 0; i < n; i++) {
        out[i] = in[i];
        if (i > 0 && i < n - 1)
            out[i] = ((double)in[i - 1] + in[i] + in[i + 1]) / 3;
    }
}
