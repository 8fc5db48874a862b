#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, const float *in, const float *w)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int k = 0; k < 4 && i + k < n; k++)
            out[i] += (double)w[k] * in[i + k];
    }
}
