#include <lanewise/kernel.h>

KERNEL void reference(int n, double *out, double *mean, double *sum, const float *in)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += in[i];
    *mean = total / n;
    *sum = 0;
    for (int i = 0; i < n; i++) {
        out[i] = in[i] / *mean;
        *sum += out[i];
    }
}
