#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, const float *in)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int k = 0; k < 32; k++)
            out[i] += in[i / 32 * 32 + k];
    }
}
