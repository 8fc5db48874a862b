#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, const float *in)
{
    for (int i = 0; i < n; i++) {
        out[i] = in[i];
        for (int k = i - 2; k < i; k++)
            if (k >= 0 && in[k] > out[i])
                out[i] = in[k];
    }
}
